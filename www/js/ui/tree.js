// SPDX-License-Identifier: MIT
// <lamp-tree>: the documents of a project as a tree (ARIA's pattern of that name). One is
// moved by dragging, by Shift and an arrow key, or by its menu.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { shown } from '../form.js';
import { dayText, excerpt, failureText } from '../format.js';
import { Watch } from '../observable.js';
import { shortName, today } from '../projects.js';
import { lineOf, linesOf, placeBeside, placeNear } from '../tree.js';
import { t } from '../strings.js';
import { icon } from './icons.js';
import { itemHash, ProjectList } from './items.js';
import './menu.js';

/** The part of a line, from above and from below, in which what is dropped comes beside it. */
const EDGE = 0.28;
/** A document that something is dragged above is opened after this time. */
const OPEN_MS = 600;

/** The steps of a document, and what is said where there is none. */
const STEPS = [
	{ step: 'up', picture: 'up', text: 'tree.up', none: 'tree.noUp' },
	{ step: 'down', picture: 'down', text: 'tree.down', none: 'tree.noDown' },
	{ step: 'in', picture: 'inward', text: 'tree.in', none: 'tree.noIn' },
	{ step: 'out', picture: 'outward', text: 'tree.out', none: 'tree.noOut' },
];

class LampTree extends ProjectList {
	static properties = {
		...ProjectList.properties,
		/** why the last move or addition failed */
		problem: { state: true },
		/** where something is dragged: {id, how} */
		over: { state: true },
		/** the document under which one is added; '': none */
		adding: { state: true },
		busy: { state: true },
	};

	#dragged = '';
	#timer = 0;
	#typed = '';
	#typedAt = 0;

	constructor()
	{
		super();
		this.problem = '';
		/** @type {{id: string, how: string} | null} */
		this.over = null;
		this.adding = '';
		this.busy = false;
		new Watch(this, () => this.project?.tree);
	}

	get #tree()
	{
		return this.project.tree;
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearTimeout(this.#timer);
	}

	render()
	{
		const tree = this.#tree;
		const lines = linesOf(tree.root, tree.closed);

		return html`
			${tree.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(tree.error)}</span><button type="button" class="chip-button"
				@click=${() => tree.load()}>${t('app.retry')}</button></p>` : nothing}
			${this.problem ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				this.problem}</span></p>` : nothing}
			${!tree.loaded && !tree.error ? html`<p><span class="sr-only">${t('app.loading')}</span>
				<span class="skeleton"></span><span class="skeleton"></span></p>` : nothing}
			${tree.loaded && lines.length === 0 ? this.none : nothing}
			${lines.length === 0 ? nothing : html`
				${this.form.canWrite ? html`<p class="muted board-keys" id="tree-keys">${
					t('tree.keys')}</p>` : nothing}
				<ul class="tree" role="tree" aria-label=${t('place.documents')}
					@keydown=${this.#onKey} @dragleave=${this.#onLeave}>${repeat(lines,
					({ node }) => node.id, (line) => this.#line(line, lines))}</ul>`}`;
	}

	#line(line, lines)
	{
		const { node, level, at, among, open } = line;
		const { canWrite } = this.form;
		const has = node.children.length > 0;
		const current = lines.some((one) => one.node.id === this.#tree.at) ? this.#tree.at :
			lines[0].node.id;
		const over = this.over?.id === node.id ? this.over.how : '';

		return html`<li role="treeitem" class="tree-line ${over}" data-id=${node.id}
				data-level=${level} aria-level=${level} aria-posinset=${at + 1}
				aria-setsize=${among.length} aria-expanded=${has ? String(open) : nothing}
				aria-labelledby="doc-${node.id} facts-${node.id} text-${node.id}" aria-selected="false"
				aria-describedby=${canWrite ? 'tree-keys' : nothing}
				tabindex=${node.id === current ? 0 : -1}
				draggable=${canWrite ? 'true' : 'false'}
				@focus=${() => { this.#tree.at = node.id; this.requestUpdate(); }}
				@dragstart=${(event) => this.#onDrag(event, node)} @dragend=${this.#dropEnds}
				@dragover=${(event) => this.#onOver(event, node)}
				@drop=${this.#onDrop}>
			${has ? html`<span class="tree-twist ${open ? 'open' : ''}" title=${t(open ?
				'tree.close' : 'tree.open')} @click=${() => this.#tree.toggle(node.id)}>${
				icon('chevron')}</span>` : html`<span class="tree-twist tree-leaf">${icon('notes')}</span>`}
			<a class="tree-link" id="doc-${node.id}" tabindex="-1" draggable="false" dir="auto"
				href=${itemHash(this.project, this.form, node.id)}>${node.title}</a>
			<span class="tree-facts" id="facts-${node.id}">${this.#facts(node)}</span>
			${canWrite ? html`<lamp-menu tab=${node.id === current ? 0 : -1}
				label=${t('tree.actions', { title: node.title })}
				.items=${() => this.#items(node)}></lamp-menu>` : nothing}
			${node.description ? html`<span class="tree-text muted" id="text-${node.id}" dir="auto">${
				excerpt(node.description)}</span>` : nothing}</li>
			${this.adding === node.id ? this.#addView(node.id, level + 1) : nothing}`;
	}

	#facts(node)
	{
		const field = (key) => this.form.fields.find((one) => one.key === key);

		return html`<span class="mark">${shown(field('typeKey'), node.typeKey)}</span><span
			class="mark">${shown(field('stateKey'), node.stateKey)}</span><span
			class="mark plain tree-length">${node.contentLength ? t('tree.length',
			{ n: node.contentLength.toLocaleString() }) : t('tree.empty')}</span><time
			class="mark plain" datetime=${node.updatedAt}>${
			dayText(today(new Date(node.updatedAt)))}</time>`;
	}

	#items(node)
	{
		const { root } = this.#tree;
		const moves = STEPS.filter(({ step }) => placeBeside(root, node.id, step))
			.map(({ step, picture, text }) => ({ text: t(text), icon: picture,
				run: () => this.#step(node.id, step) }));

		return [{ text: t('tree.add'), icon: 'plus', run: () => this.add(node.id) }, ...moves];
	}

	/** A document by its title alone, which is opened then. */
	#addView(parentId, level)
	{
		const label = t('tree.addHow');

		return html`<li role="none" class="tree-add" data-level=${level}><form
			class="quick-add" @submit=${(event) => this.#add(event, parentId)}
			@keydown=${(event) => this.#onAddKey(event, parentId)}>
			<input class="field-line" name="title" maxlength="200" autocomplete="off"
				aria-label=${label} placeholder=${label}>
			<button type="submit" class="button" ?disabled=${this.busy}>${t('form.add')}</button>
			<button type="button" class="button" @click=${() => this.#endAdding(parentId)}>${
				t('app.cancel')}</button></form></li>`;
	}

	/** Asks for the title of a new document under this one. */
	async add(parentId)
	{
		this.problem = '';
		this.adding = parentId;
		this.#tree.toggle(parentId, true);
		await this.updateComplete;
		this.querySelector('.tree-add input')?.focus();
	}

	#endAdding(parentId)
	{
		this.adding = '';
		this.#focus(parentId);
	}

	#onAddKey(event, parentId)
	{
		// the keys of the tree are those of letters here
		event.stopPropagation();
		if (event.key !== 'Escape')
			return;
		event.preventDefault();
		this.#endAdding(parentId);
	}

	#add = async (event, parentId) => {
		const title = event.target.elements.title.value.trim();

		event.preventDefault();
		if (this.busy || !title)
			return;
		this.busy = true;
		this.problem = '';
		try {
			const { id } = await this.project.make(shortName(this.form), { title, parentId });

			this.adding = '';
			this.emit('lamp-say', { text: t('form.added', { name: title }) });
			location.hash = itemHash(this.project, this.form, id);
		} catch (error) {
			this.problem = failureText(error);
		}
		this.busy = false;
	};

	#nameOf(id)
	{
		return lineOf(this.#tree.root, id)?.node.title ?? '';
	}

	#step(id, step)
	{
		const place = placeBeside(this.#tree.root, id, step);

		if (place)
			this.#move(id, place);
		else
			this.emit('lamp-say', { text: t(STEPS.find((one) => one.step === step).none) });
	}

	async #move(id, place)
	{
		const title = this.#nameOf(id);

		this.problem = '';
		this.#tree.at = id;
		const moved = this.#tree.move(id, place);

		this.#focus(id);
		const error = await moved;

		if (!error) {
			const { parent, at, among } = lineOf(this.#tree.root, id) || {};

			this.emit('lamp-say', { text: t(parent ? 'tree.movedUnder' : 'tree.moved', { title,
				parent: parent?.title, at: at + 1, n: among?.length }) });
		} else {
			this.problem = error.status === 412 ? t('tree.faster', { title }) : failureText(error);
		}
		this.#focus(id);
	}

	/** The focus goes to a document as soon as it is drawn. */
	async #focus(id)
	{
		const line = () => /** @type {HTMLElement | null} */ (
			this.querySelector(`[data-id="${id}"]`));

		line()?.focus();
		await this.updateComplete;
		if (line() !== document.activeElement)
			line()?.focus();
	}

	/* -- keys ----------------------------------------------------------------- */

	#onKey = (event) => {
		const { id } = event.target.dataset;
		const tree = this.#tree;

		if (!id || event.altKey || event.ctrlKey || event.metaKey)
			return;
		const lines = linesOf(tree.root, tree.closed);
		const at = lines.findIndex(({ node }) => node.id === id);
		const line = lines[at];
		const ltr = getComputedStyle(this).direction === 'ltr';
		const key = ltr ? event.key : { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }[event.key] ||
			event.key;
		const step = { ArrowUp: 'up', ArrowDown: 'down', ArrowRight: 'in', ArrowLeft: 'out' }[key];

		if (step && event.shiftKey) {
			event.preventDefault();
			if (this.form.canWrite)
				this.#step(id, step);
			return;
		}
		const goTo = (one) => this.#focus(one?.node.id ?? id);
		const keys = {
			ArrowUp: () => goTo(lines[at - 1]),
			ArrowDown: () => goTo(lines[at + 1]),
			Home: () => goTo(lines[0]),
			End: () => goTo(lines.at(-1)),
			ArrowRight: () => (line.node.children.length === 0 ? undefined : line.open ?
				goTo(lines[at + 1]) : tree.toggle(id, true)),
			ArrowLeft: () => (line.open ? tree.toggle(id, false) : line.parent &&
				this.#focus(line.parent.id)),
			Enter: () => { location.hash = itemHash(this.project, this.form, id); },
			' ': () => line.node.children.length > 0 && tree.toggle(id),
		};

		if (keys[key]) {
			event.preventDefault();
			keys[key]();
		} else if (key.length === 1 && !event.shiftKey) {
			this.#goToTyped(event, lines, at);
		}
	};

	/** The next one whose title begins with what is typed. */
	#goToTyped(event, lines, at)
	{
		this.#typed = event.timeStamp - this.#typedAt < 1000 ? this.#typed + event.key : event.key;
		this.#typedAt = event.timeStamp;
		const wanted = this.#typed.toLocaleLowerCase();
		const from = this.#typed.length > 1 ? at : at + 1;
		const found = [...lines.slice(from), ...lines.slice(0, from)].find(({ node }) =>
			node.title.toLocaleLowerCase().startsWith(wanted));

		event.preventDefault();
		if (found)
			this.#focus(found.node.id);
	}

	/* -- dragging ---------------------------------------------------------------- */

	#onDrag(event, node)
	{
		this.#dragged = node.id;
		event.dataTransfer.effectAllowed = 'move';
		event.dataTransfer.setData('text/plain', node.title);
	}

	#onOver(event, node)
	{
		const { top, height } = event.currentTarget.getBoundingClientRect();
		const part = (event.clientY - top) / height;
		const how = part < EDGE ? 'before' : part > 1 - EDGE ? 'after' : 'into';

		if (!this.#dragged || !placeNear(this.#tree.root, this.#dragged, node.id, how)) {
			this.#notOver();
			return;
		}
		event.preventDefault();
		if (this.over?.id === node.id && this.over.how === how)
			return;
		this.over = { id: node.id, how };
		clearTimeout(this.#timer);
		if (how === 'into' && this.#tree.closed.has(node.id))
			this.#timer = setTimeout(() => this.#tree.toggle(node.id, true), OPEN_MS);
	}

	#onLeave = (event) => {
		if (!event.currentTarget.contains(event.relatedTarget))
			this.#notOver();
	};

	#notOver()
	{
		clearTimeout(this.#timer);
		this.over = null;
	}

	#dropEnds = () => {
		this.#notOver();
		this.#dragged = '';
	};

	#onDrop = (event) => {
		const { over } = this;
		const id = this.#dragged;
		const place = id && over && placeNear(this.#tree.root, id, over.id, over.how);

		this.#dropEnds();
		if (!place)
			return;
		event.preventDefault();
		this.#move(id, place);
	};
}

customElements.define('lamp-tree', LampTree);
