// SPDX-License-Identifier: MIT
// What the page of an LLM service, or of a user's own key, has besides its
// form: it can be tested, also before it is stored.
import { html, nothing } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

class LampServiceTest extends PageElement {
	static properties = {
		at: { attribute: false },
		busy: { state: true },
		/** {works, message} */
		result: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('./parts.js').At} */
		this.at = undefined;
	}

	render()
	{
		const { draft } = this.at;
		// a stored one is tested with its key, which nobody can read
		const unsaved = !draft.isNew && draft.dirty;

		return html`<button type="button" class="button" ?disabled=${this.busy || unsaved}
			title=${unsaved ? t('service.saveFirst') : nothing} @click=${this.#run}>${
			t(this.busy ? 'service.testing' : 'service.test')}</button>
			<div role="status">${this.result ? html`<p class="service-result ${
				this.result.works ? 'works' : ''}">${icon(this.result.works ? 'check' :
				'warning')}<span>${this.result.message}</span></p>` : nothing}</div>`;
	}

	#request()
	{
		const { draft, places } = this.at;

		if (draft.isNew)
			return [`${draft.path}/test`, draft.check()];
		// one of a file has no row
		return [draft.record.source ? `${places.path({ path: 'workspaces/{workspace}/llm-services' })
			}/${encodeURIComponent(draft.record.llmServiceId)}/test` :
			`${draft.path}/${encodeURIComponent(draft.id)}/test`, {}];
	}

	async #run()
	{
		this.busy = true;
		this.result = null;
		try {
			const [path, body] = this.#request();
			const answer = body && await this.at.api.json('POST', path, { body });

			this.result = answer && { works: answer.works,
				message: answer.message || t('service.works') };
		} catch (error) {
			this.result = { works: false, message: failureText(error) };
		}
		this.busy = false;
	}
}

customElements.define('lamp-service-test', LampServiceTest);

/** The parts of a service's page (ui/parts.js). */
export const servicePart = {
	actions: (at) => at.draft.form.canWrite ? html`<lamp-service-test .at=${at}
		></lamp-service-test>` : nothing,
};
