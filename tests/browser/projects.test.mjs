// SPDX-License-Identifier: MIT
// The place for projects: a project's pages, what is in it, and who works on it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf, riskGrid } from '../../www/js/projects.js';
import { violations } from './axe.mjs';
import { api, base, choosePlace, drag, open, openChat, PHONE, unique,
	withoutNotices } from './browser.mjs';

const NARROW = { ...PHONE, viewport: { width: 360, height: 740 } };

/** A project, which is deleted at the end of the test. */
async function project(t, fields)
{
	const made = await api('POST', 'projects', { name: unique('Pilot'), ...fields });

	t.after(() => fetch(`${base}api/v1/projects/${made.id}`, { method: 'DELETE',
		headers: { 'X-Requested-With': 'test', 'If-Match': '*' } }));
	return made;
}

const add = ({ id }, kind, fields) => api('POST', `projects/${id}/${kind}`, fields);
const change = ({ id }, path, fields) => api('PATCH', `projects/${id}/${path}`, fields,
	{ 'If-Match': '*' });
const read = ({ id }, path) => api('GET', `projects/${id}/${path}`);

/** A page on a project, when its record is there. */
async function openProject(t, { id, name }, below = '', options = {})
{
	const page = await open(t, { hash: `#/projects/${id}${below && `/${below}`}`, ...options });

	await page.waitForFunction((wanted) =>
		document.querySelector('lamp-project h1')?.textContent === wanted, name);
	return page;
}

function heading(page, text)
{
	return page.waitForFunction((wanted) =>
		document.querySelector('lamp-project h2')?.textContent === wanted, text);
}

function said(page, text)
{
	return page.waitForFunction((wanted) =>
		document.querySelector('[aria-live]').textContent.includes(wanted), text);
}

const button = (page, name) => page.getByRole('button', { name, exact: true });
const link = (page, name) => page.getByRole('link', { name, exact: true });
const field = (page, label) => page.locator('lamp-form').getByLabel(label);
const dialog = (page) => page.locator('dialog[open]');
const content = (page) => page.locator('.editor-text');
const column = (page, state) => page.getByRole('region', { name: new RegExp(`^${state}`) });
const focused = (page, text) => page.waitForFunction((wanted) =>
	document.activeElement.textContent.trim() === wanted, text);

test('a project from its beginning to its end, with its members', async (t) => {
	const name = unique('Harbour');
	const page = await openChat(t);

	await choosePlace(page, 'Projects');
	await page.waitForFunction(() => document.querySelector('h1').textContent === 'Projects');
	await page.locator('.main-head .new-row').click();
	// the first choice is chosen, and there is no empty one
	assert.equal(await field(page, 'State').inputValue(), 'planning');
	assert.equal(await field(page, 'State').locator('option').count(), 5);
	await field(page, 'Name').fill(name);
	await field(page, 'Description').fill('A new quay.\nBefore the winter.');
	await button(page, 'Save').click();
	await said(page, `Created “${name}”`);
	await heading(page, 'Overview');
	await focused(page, name);
	assert.match(await page.locator('.overview-text').innerText(), /A new quay\.\nBefore/);
	await page.waitForFunction(() => [...document.querySelectorAll('.count-number')]
		.every((one) => one.textContent === '0'));

	const members = page.getByRole('region', { name: 'Members' });

	assert.match(await members.innerText(), /You\s+Owns this project/);
	await button(page, 'Add a person').click();
	await page.waitForFunction(() => document.activeElement.list);
	await field(page, 'User').pressSequentially('ama');
	await members.locator('datalist option[value="amara.okafor"]').waitFor({ state: 'attached' });
	await field(page, 'User').fill('nobody.here');
	await members.getByRole('button', { name: 'Add', exact: true }).click();
	await members.locator('.field-error').waitFor();
	assert.equal(await field(page, 'User').getAttribute('aria-invalid'), 'true');
	await button(page, 'Cancel').click();
	await button(page, 'Add a group').click();
	await field(page, 'Group').selectOption('service-desk');
	await field(page, 'Role').selectOption('editor');
	await members.getByRole('button', { name: 'Add', exact: true }).click();
	await said(page, 'Added “service-desk”');
	await members.getByLabel('Role of service-desk').selectOption('viewer');
	await said(page, 'Saved “service-desk”');
	const id = new URL(page.url()).hash.split('/')[2];

	assert.deepEqual((await read({ id }, 'members')).items.map(({ group, role }) => [group, role]),
		[['service-desk', 'viewer']]);
	await button(page, 'Remove service-desk').click();
	assert.match(await dialog(page).innerText(), /will no longer see this project/);
	await dialog(page).getByRole('button', { name: 'Remove' }).click();
	await said(page, 'Removed service-desk');
	assert.equal((await read({ id }, 'members')).items.length, 0);

	await link(page, 'Edit project').click();
	await heading(page, 'Edit project');
	await field(page, 'State').selectOption('active');
	await field(page, 'State').press('Control+s');
	await said(page, `Saved “${name}”`);
	await link(page, 'Back to the overview').click();
	await heading(page, 'Overview');
	await page.waitForFunction(() =>
		/State\s+Active/.test(document.querySelector('.facts')?.innerText));

	await link(page, 'Back to the list').click();
	const row = page.locator('.item-link', { hasText: name });

	await row.waitFor();
	assert.match(await row.innerText(), /State:\s+Active\s+Mine/);
	await row.click();
	await link(page, 'Edit project').click();
	await button(page, 'Delete').click();
	assert.match(await dialog(page).innerText(), /everything in it, for all of its members/);
	await dialog(page).getByRole('button', { name: 'Delete' }).click();
	await said(page, `Deleted “${name}”`);
	await page.waitForFunction(() => location.hash === '#/projects');
	await assert.rejects(api('GET', `projects/${id}`), /404/);
});

test('every page has an address, and a step back leads to the one before', async (t) => {
	const at = await project(t);
	const risk = await add(at, 'risks', { title: 'Ice', likelihood: 'high', impact: 'high' });
	const page = await openProject(t, at, `risks/${risk.id}`);

	await heading(page, 'Ice');
	assert.match(await page.title(), /^Ice – Pilot.* – Lamplighter$/);
	await link(page, 'Back to the list: Risks').click();
	await heading(page, 'Risks');
	await focused(page, 'Risks');
	assert.match(await page.locator('.group').innerText(), /^Critical 1\nIce/);
	await link(page, 'Goals').click();
	await heading(page, 'Goals');
	await page.goBack();
	await heading(page, 'Risks');
	await page.goBack();
	await heading(page, 'Ice');

	// what was typed is asked about
	await field(page, 'Title').fill('Thick ice');
	await link(page, 'Tasks').click();
	await dialog(page).getByRole('button', { name: 'Keep editing' }).click();
	assert.equal(await field(page, 'Title').inputValue(), 'Thick ice');
	await link(page, 'Tasks').click();
	await dialog(page).getByRole('button', { name: 'Discard changes' }).click();
	await heading(page, 'Tasks');

	await page.goto(`${base}#/projects/${at.id}/nonsense`);
	await page.getByText('There is nothing at this address').waitFor();
	await page.goto(`${base}#/projects/${at.id}/risks/${at.id}`);
	await page.getByText('Not found, or you do not have access to it.').waitFor();
	await page.goto(`${base}#/projects/${risk.id}`);
	await page.getByText('Not found, or you do not have access to it.').waitFor();
	await page.goto(`${base}#/projects/${at.id}`);
	await heading(page, 'Overview');
});

test('a document is written, read, and taken back', async (t) => {
	const at = await project(t);
	const page = await openProject(t, at, 'documents');

	await page.getByText('There are no documents yet').waitFor();
	await link(page, 'New document').click();
	await heading(page, 'New document');
	await field(page, 'Title').fill('Brief');
	await content(page).fill('# Why\n\nBecause of **ice**.\n\n<img src=x onerror=alert(1)>');
	await page.locator('.editor-preview strong', { hasText: 'ice' }).waitFor();
	assert.equal(await page.locator('.editor-preview img').count(), 0);
	await button(page, 'Save').click();
	await said(page, 'Created “Brief”');
	await heading(page, 'Brief');
	await focused(page, 'Brief');

	await content(page).fill('# Why\n\nBecause of snow.');
	await button(page, 'Save').click();
	await said(page, 'Saved “Brief”');
	const versions = page.locator('lamp-children');

	await page.waitForFunction(() =>
		document.querySelectorAll('lamp-children details').length === 2);
	await versions.locator('summary').first().click();
	await versions.locator('ins', { hasText: 'snow' }).waitFor();
	await versions.locator('summary').last().click();
	await versions.getByRole('button', { name: 'Restore' }).last().click();
	await said(page, 'The version is in the form');
	assert.match(await content(page).inputValue(), /\*\*ice\*\*/);
	await button(page, 'Save').click();
	await said(page, 'Saved “Brief”');
	const [{ id }] = (await read(at, 'documents')).items;

	assert.match((await read(at, `documents/${id}`)).content, /\*\*ice\*\*/);
	await button(page, 'Delete').click();
	await dialog(page).getByRole('button', { name: 'Delete' }).click();
	await said(page, 'Deleted “Brief”');
	await page.getByText('There are no documents yet').waitFor();
});

test('two who write one document lose nothing', async (t) => {
	const at = await project(t);
	const lines = ['one', 'two', 'three', 'four', 'five', 'six'];
	const text = lines.join('\n');
	const { id } = await add(at, 'documents', { title: 'Both', content: text });
	const page = await openProject(t, at, `documents/${id}`);
	const conflict = page.getByRole('alert').filter({ hasText: 'This was changed' });

	// in other lines: both changes are in the text
	await content(page).fill(text.replace('two', 'TWO, mine'));
	await change(at, `documents/${id}`, { content: text.replace('five', 'FIVE, theirs') });
	await button(page, 'Save').click();
	await conflict.getByText('You changed other lines').waitFor();
	assert.equal(await conflict.locator('del').innerText(), 'five');
	assert.match(await conflict.locator('ins').first().innerText(), /FIVE/);
	assert.equal(await content(page).inputValue(), text.replace('two', 'TWO, mine'));
	await button(page, 'Continue with my changes').click();
	const joined = text.replace('two', 'TWO, mine').replace('five', 'FIVE, theirs');

	assert.equal(await content(page).inputValue(), joined);
	await button(page, 'Save').click();
	await said(page, 'Saved “Both”');
	assert.equal((await read(at, `documents/${id}`)).content, joined);

	// in the same line: the user is told, and chooses
	await content(page).fill(joined.replace('six', 'my six'));
	await change(at, `documents/${id}`, { content: joined.replace('six', 'their six') });
	await button(page, 'Save').click();
	await conflict.getByText('You changed the same lines').waitFor();
	await focused(page, 'This was changed while you were editing');
	await button(page, 'Continue with my changes').click();
	assert.match(await content(page).inputValue(), /my six$/);
	assert.match((await read(at, `documents/${id}`)).content, /their six$/);
	await button(page, 'Save').click();
	await said(page, 'Saved “Both”');
	// nobody deletes what they have not seen
	await button(page, 'Delete').click();
	await change(at, `documents/${id}`, { stateKey: 'ready' });
	await dialog(page).getByRole('button', { name: 'Delete' }).click();
	await conflict.waitFor();
	assert.match(await conflict.innerText(), /State\s+Now: Ready/);
	await button(page, 'Show what is stored now').click();
	assert.equal(await field(page, 'State').inputValue(), 'ready');
});

test('tasks are moved by a select, by keys and by dragging', async (t) => {
	const at = await project(t);
	// not told of what somebody else does meanwhile
	const page = await openProject(t, at, 'tasks', { init: withoutNotices });
	const states = async () => Object.fromEntries((await read(at, 'tasks')).items
		.map(({ title, stateKey }) => [title, stateKey]));

	await page.getByText('There are no tasks yet').waitFor();
	for (const title of ['Dig', 'Pour']) {
		await page.getByLabel('Add a task').fill(title);
		await page.keyboard.press('Enter');
		await said(page, `Added “${title}”`);
		await column(page, 'To do').getByRole('link', { name: title }).waitFor();
	}
	await page.getByLabel('State of “Dig”').selectOption('blocked');
	await said(page, '“Dig” is now: Blocked');
	await column(page, 'Blocked').getByRole('link', { name: 'Dig' }).waitFor();
	await page.waitForFunction(() => document.activeElement.tagName === 'SELECT');

	await link(page, 'Dig').focus();
	await page.keyboard.press('Shift+ArrowLeft');
	await said(page, '“Dig” is now: In progress');
	await focused(page, 'Dig');
	await page.keyboard.press('ArrowLeft');
	await focused(page, 'Pour');
	await page.keyboard.press('Shift+ArrowLeft');	// there is no state before the first
	assert.deepEqual(await states(), { Dig: 'in_progress', Pour: 'todo' });

	await drag(page.locator('.task', { hasText: 'Pour' }), column(page, 'Done'));
	await said(page, '“Pour” is now: Done');
	assert.deepEqual(await states(), { Dig: 'in_progress', Pour: 'done' });

	// somebody else was faster
	const { id } = (await read(at, 'tasks')).items.find(({ title }) => title === 'Dig');

	await change(at, `tasks/${id}`, { stateKey: 'cancelled' });
	await page.getByLabel('State of “Dig”').selectOption('done');
	await page.getByText('Someone else changed “Dig” first. It is now: Cancelled.').waitFor();
	await column(page, 'Cancelled').getByRole('link', { name: 'Dig' }).waitFor();
	assert.equal((await states()).Dig, 'cancelled');

	// a failure is told, and the card is where it was
	await page.route(`**/tasks/${id}`, (route) => (route.request().method() === 'PATCH' ?
		route.fulfill({ status: 503, contentType: 'application/problem+json',
			body: '{"code":"overloaded","status":503,"detail":"Later, please."}' }) :
		route.continue()));
	await column(page, 'Cancelled').getByLabel('State of “Dig”').selectOption('done');
	await page.getByText('Later, please.').waitFor();
	await column(page, 'Cancelled').getByRole('link', { name: 'Dig' }).waitFor();
});

test('each kind has its list, and its fields by form', async (t) => {
	const at = await project(t);
	const page = await openProject(t, at);
	const make = async (kind, one, values, chosen = {}) => {
		await page.getByRole('navigation', { name: 'Pages of this project' })
			.getByRole('link', { name: kind }).click();
		await heading(page, kind);
		await page.locator('.rows-none').waitFor();
		await link(page, `New ${one}`).click();
		await heading(page, `New ${one}`);
		for (const [label, value] of Object.entries(values))
			await field(page, label).fill(value);
		for (const [label, value] of Object.entries(chosen))
			await field(page, label).selectOption(value);
		await button(page, 'Save').click();
		await said(page, `Created “${values.Title}”`);
		await link(page, `Back to the list: ${kind}`).click();
		await heading(page, kind);
		await page.locator('.item-link', { hasText: values.Title }).waitFor();
	};

	await make('Goals', 'goal', { Title: 'Dry feet', Target: '2031-03-01' });
	assert.match(await page.locator('.item-link').innerText(), /Due 1 Mar 2031/);
	await make('Plans', 'plan', { Title: 'Phase one', Start: '2020-01-01', Target: '2020-02-01' });
	assert.match(await page.locator('.item-link').innerText(), /Overdue: 1 Feb 2020/);
	await make('Risks', 'risk', { Title: 'Storm', Mitigation: 'Wait.' },
		{ Likelihood: 'low', Impact: 'medium' });
	assert.match(await page.locator('.group').innerText(), /^Low 1\nStorm/);
	await make('Requirements', 'requirement', { Title: 'Holds a crane', Acceptance: 'Tried.' },
		{ Priority: 'must' });
	assert.match(await page.locator('.group').innerText(), /^Must 1\nHolds a crane/);
	await make('Milestones', 'milestone', { Title: 'First ship', Due: '2031-05-01' });
	await add(at, 'milestones', { title: 'Paper work', dueDate: '2020-05-01', stateKey: 'reached' });
	await add(at, 'milestones', { title: 'Some day' });
	await link(page, 'Milestones').click();
	await page.reload();
	await page.getByText('Some day').waitFor();
	const thisMonth = new Date().toLocaleDateString('en-GB', { month: 'long', year: 'numeric' });

	assert.deepEqual(await page.locator('.timeline h3').allInnerTexts(),
		['May 2020', thisMonth, 'May 2031', 'No date']);
	assert.deepEqual(await page.locator('.line').evaluateAll((all) => all.slice(1, 3).map((line) =>
		[...line.children].map((li) => li.querySelector('.rows-name')?.textContent ?? li.textContent))),
	[['Today'], ['First ship']]);

	// limited, and limited to nothing
	await page.getByRole('combobox', { name: 'State', exact: true }).selectOption('reached');
	await page.waitForFunction(() => document.querySelectorAll('.line-stop').length === 1);
	await page.getByRole('combobox', { name: 'State', exact: true }).selectOption('missed');
	await page.getByText('Nothing matches these filters.').waitFor();

	await link(page, 'Overview').click();
	await heading(page, 'Overview');
	await page.locator('.next .item-link').waitFor();
	assert.match(await page.locator('.next').innerText(), /First ship\s+Due 1 May 2031/);
	await page.waitForFunction(() => [...document.querySelectorAll('.count')].map((one) =>
		one.innerText.replace(/\s+/g, ' ')).join() === 'Documents 0,Tasks 0,Goals 1,Plans 1,' +
		'Milestones 3,Risks 1,Requirements 1,Calendar 0');
});

test('a field that the installation declares is filled in, checked and shown', async (t) => {
	const at = await project(t);
	const page = await openProject(t, at, 'tasks/new');
	const effort = field(page, 'Effort');

	await heading(page, 'New task');
	assert.equal(await effort.getAttribute('placeholder'), '8');
	await page.getByText('Hours of work.').waitFor();
	await field(page, 'Title').fill('Paint');
	await effort.fill('much');
	await button(page, 'Save').click();
	await page.locator('.field-error').waitFor();
	assert.equal(await effort.getAttribute('aria-invalid'), 'true');
	await effort.fill('501');
	await button(page, 'Save').click();
	await page.locator('.field-error', { hasText: '500' }).waitFor();
	await effort.fill('12');
	await button(page, 'Save').click();
	await said(page, 'Created “Paint”');
	const { items: [{ id, props }] } = await read(at, 'tasks');

	assert.deepEqual(props, { effort: 12 });
	await effort.fill('13');
	await button(page, 'Save').click();
	await said(page, 'Saved “Paint”');
	await effort.fill('');
	await button(page, 'Save').click();
	await page.waitForFunction(() => !document.querySelector('.form-state'));
	assert.deepEqual((await read(at, `tasks/${id}`)).props, {});
	assert.deepEqual(await violations(page), []);
});

test('a list is limited by a field that the installation declares', async (t) => {
	const at = await project(t);

	for (const [title, area] of [['Solder', 'hardware'], ['Compile', 'software']])
		await add(at, 'tasks', { title, props: { area } });
	await add(at, 'tasks', { title: 'Rest' });
	const page = await openProject(t, at, 'tasks');
	const card = (title) => column(page, 'To do').getByRole('link', { name: title, exact: true });

	await card('Rest').waitFor();
	const area = page.locator('.filters').getByRole('combobox', { name: 'Area' });

	await area.selectOption('software');
	await card('Rest').waitFor({ state: 'detached' });
	await card('Compile').waitFor();
	assert.equal(await card('Solder').count(), 0);
	assert.match(await column(page, 'To do').innerText(), /^To do\s+1\s/);
	if (process.env.SHOT)
		await page.screenshot({ path: `${process.env.SHOT}-area.png` });
	assert.deepEqual(await violations(page), []);
	await area.selectOption('');
	await card('Solder').waitFor();
});

test('who may only read sees nothing that would fail', async (t) => {
	const at = await project(t, { description: 'Read me.' });
	const document = await add(at, 'documents', { title: 'Text', content: 'A **bold** word.' });
	const task = await add(at, 'tasks', { title: 'Dig', priority: 'urgent' });

	await add(at, 'members', { group: 'staff', role: 'viewer' });
	const page = await openProject(t, at, '', { init: (fresh) =>
		fresh.route(`**/api/v1/projects/${at.id}`, async (route) => {
			const response = await route.fetch();

			await route.fulfill({ response,
				json: { ...await response.json(), canEdit: false, isOwner: false } });
		}) });
	const controls = page.locator(`.place-scroll :is(input, select, textarea,
		button:not(.ask-about), form, [draggable=true]):not(lamp-find *), .place-scroll a[href$="/new"], .place-scroll a[href$="/edit"]`);

	await page.locator('.member', { hasText: 'staff' }).waitFor();
	assert.match(await page.locator('.member').first().innerText(), /The person who created it/);
	assert.equal(await controls.count(), 0);
	await link(page, 'Tasks').click();
	await page.locator('.task').waitFor();
	assert.equal(await controls.locator('visible=true').and(page.locator(
		':not(.filters select)')).count(), 0);
	await link(page, 'Dig').focus();
	await page.keyboard.press('Shift+ArrowRight');
	assert.equal((await read(at, `tasks/${task.id}`)).stateKey, 'todo');
	await link(page, 'Dig').click();
	await heading(page, 'Dig');
	assert.match(await page.locator('.told').innerText(), /Priority\s+Urgent/);
	assert.equal(await controls.count(), 0);
	for (const kind of ['goals', 'plans', 'milestones', 'risks', 'requirements']) {
		await page.goto(`${base}#/projects/${at.id}/${kind}`);
		await page.locator('.rows-none').waitFor();
		assert.equal(await controls.and(page.locator(':not(.filters select)')).count(), 0, kind);
	}
	await page.goto(`${base}#/projects/${at.id}/tasks/new`);
	await page.getByText('Your account is not allowed to create a new task.').waitFor();
	await page.goto(`${base}#/projects/${at.id}/edit`);
	await heading(page, 'Edit project');
	assert.equal(await controls.count(), 0);
	await page.goto(`${base}#/projects/${at.id}/documents/${document.id}`);
	await page.locator('.told strong', { hasText: 'bold' }).waitFor();
	await page.locator('lamp-children summary').click();
	assert.equal(await controls.count(), 0);
});

test('both themes, both widths: no violation, nothing is wider than the page', async (t) => {
	const at = await project(t, { description: 'What it is for.', dueDate: '2020-01-01' });
	const { id } = await add(at, 'documents', { title: 'Text', content: '# A\n\nword '.repeat(40) });

	await add(at, 'tasks', { title: `Long${'word'.repeat(30)}`, priority: 'urgent',
		dueDate: '2020-01-01', owner: 'amara.okafor' });
	await add(at, 'goals', { title: 'Dry', targetDate: '2020-01-01' });
	await add(at, 'milestones', { title: 'Ship', dueDate: '2031-01-01', description: 'One.' });
	await add(at, 'risks', { title: 'Storm', likelihood: 'high', impact: 'critical' });
	await add(at, 'requirements', { title: 'Crane', priority: 'must' });
	await add(at, 'members', { group: 'staff', role: 'viewer' });
	for (const options of [{ colorScheme: 'dark' }, NARROW, { ...NARROW, colorScheme: 'dark' }, {}]) {
		const page = await openProject(t, at, '', options);
		const where = `${options.colorScheme || 'light'} ${options.viewport?.width || 1280}`;

		for (const below of ['', 'edit', 'documents', `documents/${id}`, 'tasks', 'tasks/new', 'goals',
			'milestones', 'risks', 'requirements', 'plans']) {
			await page.goto(`${base}#/projects/${at.id}/${below}`.replace(/\/$/, ''));
			await page.locator(below === '' ? '.member >> nth=1' : below === 'plans' ? '.rows-none' :
				/^edit|\//.test(below) ? '.form-bar' : '.item-link, .task, .tree-line').first().waitFor();
			assert.deepEqual(await violations(page, `${where} ${below}`), []);
			assert.ok(await page.evaluate(() => {
				const box = document.querySelector('.place-scroll');

				return box.scrollWidth <= box.clientWidth &&
					document.body.scrollWidth <= innerWidth;
			}), `${where} ${below} is too wide`);
		}
	}
});

test('on a phone a document is read first, and written on demand', async (t) => {
	const at = await project(t);
	const { id } = await add(at, 'documents', { title: 'Text', content: '**Bold**' });
	const page = await openProject(t, at, `documents/${id}`, NARROW);

	await page.locator('.editor-preview strong').waitFor();
	assert.equal(await content(page).isVisible(), false);
	await button(page, 'Write').click();
	assert.equal(await page.locator('.editor-preview').isVisible(), false);
	await page.waitForFunction(() => document.activeElement.tagName === 'TEXTAREA');
	await content(page).fill('*Not bold*');
	await button(page, 'Preview').click();
	await page.locator('.editor-preview em').waitFor();
	await button(page, 'Save').click();
	await said(page, 'Saved “Text”');
	// a menu leads to the conversations, and the list of projects is one step up
	await link(page, 'Back to the list: Documents').click();
	await heading(page, 'Documents');
	await link(page, 'Tasks').click();
	await page.getByLabel('Add a task').fill('Dig');
	await page.keyboard.press('Enter');
	await page.getByLabel('State of “Dig”').selectOption('done');
	await said(page, '“Dig” is now: Done');
});

test('documents are a tree: by keys and by dragging, and who is later is told', async (t) => {
	const at = await project(t);
	const ids = {};

	for (const title of ['Alpha', 'Beta', 'Gamma'])
		ids[title] = (await add(at, 'documents', { title, description: `About ${title}` })).id;
	const page = await openProject(t, at, 'documents', { init: withoutNotices });
	const line = (title) => page.getByRole('treeitem', { name: new RegExp(`^${title}`) });
	const tree = () => page.locator('.tree-line').evaluateAll((all) => all.map((one) =>
		'-'.repeat(one.ariaLevel) + one.querySelector('a').textContent).join(' '));

	await line('Alpha').focus();
	assert.deepEqual(await violations(page), []);
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('Shift+ArrowRight');
	await said(page, 'Moved “Beta” under “Alpha”, 1 of 1');
	assert.equal(await tree(), '-Alpha --Beta -Gamma');
	await page.keyboard.press('ArrowLeft');
	await page.keyboard.press('ArrowLeft');
	assert.equal(await line('Alpha').getAttribute('aria-expanded'), 'false');
	await page.keyboard.press('g');
	await page.waitForFunction(() => document.activeElement.textContent.includes('Gamma'));
	await drag(line('Gamma'), line('Alpha'));
	await said(page, 'Moved “Gamma” under “Alpha”, 2 of 2');
	// meanwhile somebody else has moved something: the new tree is shown
	await api('POST', `projects/${at.id}/tree`, { documentId: ids.Beta, parentId: null });
	await line('Gamma').getByRole('button').click();
	await page.getByRole('menuitem', { name: 'Move out one level' }).click();
	await page.getByText('Someone else rearranged the documents').waitFor();
	await page.waitForFunction(() => document.querySelectorAll('[aria-level="2"]').length === 1);
	assert.equal(await tree(), '-Alpha --Gamma -Beta');
	// a new one under another one
	await line('Beta').getByRole('button').click();
	await page.getByRole('menuitem', { name: 'Add a document under it' }).click();
	await page.keyboard.type('Delta');
	await page.keyboard.press('Enter');
	await heading(page, 'Delta');
	await page.goBack();
	await line('Delta').waitFor();
	assert.equal(await tree(), '-Alpha --Gamma -Beta --Delta');
});

test('what belongs together is linked, found by a search, and jumped to', async (t) => {
	const at = await project(t);
	const [task, goal] = [await add(at, 'tasks', { title: 'Dredge the basin' }),
		await add(at, 'goals', { title: 'Quay usable', description: 'Ships moor.' })];
	const page = await openProject(t, at, `tasks/${task.id}`);
	const links = page.getByRole('region', { name: 'Links' });

	await links.getByText('Not linked with anything yet.').waitFor();
	await links.getByRole('button', { name: 'Add a link' }).click();
	await links.getByLabel('How they belong together').selectOption('Is needed by');
	await links.getByRole('combobox', { name: 'Search for what' }).fill('moor');
	await links.getByRole('option', { name: 'Quay usable' }).waitFor();
	assert.deepEqual(await violations(page), []);
	await page.keyboard.press('Enter');
	await said(page, 'Linked with “Quay usable”');
	assert.deepEqual((await read(at, 'edges')).items.map(({ fromId, toId, relation }) =>
		[fromId, toId, relation]), [[goal.id, task.id, 'depends_on']]);
	assert.match(await links.locator('.link-row').innerText(), /Is needed by\s+goal:\s+Quay usable/);
	// from the other end it reads the other way; another window follows
	await links.getByRole('link', { name: 'Quay usable' }).click();
	await heading(page, 'Quay usable');
	await links.getByText('Depends on').waitFor();
	await add(at, 'edges', { fromId: goal.id, toId: (await add(at, 'risks',
		{ title: 'Silt' })).id, relation: 'relates_to' });
	await links.getByRole('link', { name: 'Silt' }).waitFor();
	await button(page, 'Remove the link with “Dredge the basin”').click();
	await said(page, 'Removed the link');
	assert.equal((await read(at, 'edges')).totalCount, 1);
	// the search in the head jumps
	await page.getByRole('combobox', { name: 'Search this project' }).fill('dredge');
	await page.getByRole('option', { name: 'Dredge the basin' }).click();
	await heading(page, 'Dredge the basin');
	await link(page, 'Back to the list').click();
	await page.getByRole('combobox', { name: 'Search all projects' }).fill('quay usable');
	await page.getByRole('option', { name: at.name }).click();
	await heading(page, 'Quay usable');
});

test('what cannot be loaded says so, and can be tried again', async (t) => {
	const at = await project(t);
	const problem = { status: 503, contentType: 'application/problem+json',
		body: '{"code":"database_unavailable","status":503,"detail":"The database is away."}' };
	let away = true;
	const page = await open(t, { hash: `#/projects/${at.id}/goals`, init: (fresh) =>
		fresh.route('**/api/v1/projects/**', (route) => (away ? route.fulfill(problem) :
			route.continue())) });

	await page.getByText('The database is away.').waitFor();
	away = false;
	await button(page, 'Try again').click();
	await page.getByText('There are no goals yet').waitFor();
	away = true;
	await link(page, 'Plans').click();
	await page.getByText('The database is away.').waitFor();
	away = false;
	await button(page, 'Try again').click();
	await page.getByText('There are no plans yet').waitFor();
});

test('a chat about a project, and about something in it', async (t) => {
	const at = await project(t);
	const { id: task } = await add(at, 'tasks', { title: 'Rivet the buoy' });
	const page = await openProject(t, at, `tasks/${task}`);

	await heading(page, 'Rivet the buoy');
	await button(page, 'Ask').click();
	const chip = page.locator('.mention-chip');

	await chip.getByText('Rivet the buoy').waitFor();
	await page.locator('.composer-field').fill('What is open?');
	const sent = page.waitForRequest('**/chat/*/stream');

	await page.keyboard.press('Enter');
	const { projectId, focusId } = (await sent).postDataJSON();

	assert.deepEqual([projectId, focusId], [at.id, task]);
	await page.locator('lamp-turn').first().waitFor();
	await page.waitForFunction(() => location.hash.startsWith('#/c/'));
	await page.waitForFunction(() => !document.querySelector('.stop-button'));
	// it stays with the conversation
	await page.reload();
	await chip.getByText('Rivet the buoy').waitFor();
	await button(page, 'No longer about Rivet the buoy').click();
	await chip.waitFor({ state: 'detached' });
	await page.goBack();
});

test('what is changed elsewhere moves here, is listed, and can be taken back', async (t) => {
	const made = await project(t);
	const page = await openProject(t, made, 'tasks');
	const task = await add(made, 'tasks', { title: 'Order the piles' });

	// no reload: the window is told
	const card = (state) => column(page, state).getByRole('link', { name: 'Order the piles' });

	await card('To do').waitFor({ timeout: 5000 });
	await change(made, `tasks/${task.id}`, { stateKey: 'done' });
	await card('Done').waitFor({ timeout: 5000 });

	// an item that is shown follows, unless something is typed in it
	await page.goto(`${base}#/projects/${made.id}/tasks/${task.id}`);
	await heading(page, 'Order the piles');
	await change(made, `tasks/${task.id}`, { title: 'Order all piles' });
	await heading(page, 'Order all piles');
	await field(page, 'Description').fill('Of oak.');
	await change(made, `tasks/${task.id}`, { title: 'Order some piles' });
	await page.waitForTimeout(1500);
	assert.equal(await field(page, 'Description').inputValue(), 'Of oak.');
	assert.equal(await field(page, 'Title').inputValue(), 'Order all piles');
	await field(page, 'Description').fill('');

	// the overview says what happened; Undo takes the newest back
	await page.goto(`${base}#/projects/${made.id}`);
	const recent = page.getByRole('region', { name: 'Recent changes' });

	await recent.getByText('Changed the task “Order some piles”').first().waitFor();
	assert.deepEqual(await violations(page), []);
	await recent.getByRole('button', { name: 'Undo: Changed the task “Order some piles”' })
		.first().click();
	await said(page, 'Undone');
	assert.equal((await read(made, `tasks/${task.id}`)).title, 'Order all piles');
	// one that was changed again since is not taken back, and says why
	await recent.getByRole('button', { name: 'Undo: Created the task “Order the piles”' }).click();
	await recent.getByText('changed again since then').waitFor();
});

test('what an agent changes is told under its call, and can be taken back there', async (t) => {
	const at = await project(t);
	const page = await openProject(t, at);

	await heading(page, 'Overview');
	await button(page, 'Ask').click();
	await page.locator('.composer-field').fill(`!script ${JSON.stringify({ tool_calls: [{
		name: 'create_onto_task', args: { project_id: at.id, title: 'Book <b>a crane</b>' } }],
	then: { text: 'It is on the board.' } })}\nDo it.`);
	await page.keyboard.press('Enter');
	const effect = page.locator('.effect');

	await effect.getByText('Created the task “Book <b>a crane</b>”').waitFor();
	await page.waitForFunction(() => !document.querySelector('.stop-button'));
	assert.deepEqual(await violations(page), []);
	// after a reload the stored call has it
	await page.reload();
	await effect.getByText('Created the task “Book <b>a crane</b>”').waitFor();
	assert.equal((await read(at, 'tasks')).totalCount, 1);
	await effect.getByRole('button', { name: /^Undo/ }).click();
	await said(page, 'Undone');
	assert.equal((await read(at, 'tasks')).totalCount, 0);
	// there is nothing any more to take back
	await page.reload();
	await effect.getByRole('button', { name: /^Undo/ }).click();
	await effect.getByRole('alert').waitFor();
});

test('a project is made by describing it, and the chat is about it then', async (t) => {
	const page = await open(t, { hash: '#/projects' });
	const name = unique('Winter tyres');

	await button(page, 'Describe one').click();
	const chip = page.locator('.mention-chip');

	await chip.getByText('A new project').waitFor();
	await page.locator('.composer-field').fill(
		`I want a new project called ${name}, to have all cars ready by November.`);
	await page.keyboard.press('Enter');
	await page.locator('lamp-approval').getByRole('button', { name: 'Allow', exact: true }).click();
	await page.locator('lamp-thread').getByText('is there, with a context document').waitFor();
	await chip.getByText(name).waitFor();
	const { items: [made] } = await api('GET', `projects?q=${encodeURIComponent(name)}`);

	t.after(() => fetch(`${base}api/v1/projects/${made.id}`, { method: 'DELETE',
		headers: { 'X-Requested-With': 'test', 'If-Match': '*' } }));
	await page.locator('.effect').getByText(`Created the project “${name}”`).waitFor();
	await page.locator('.composer-field').fill('What is open?');
	const sent = page.waitForRequest('**/chat/*/stream');

	await page.keyboard.press('Enter');
	assert.equal((await sent).postDataJSON().projectId, made.id);
	await page.locator('.answer').getByText('Nothing is open in').waitFor();
});

test('what was deleted is restored: a project, and a document in one', async (t) => {
	const made = await project(t);
	const name = made.name;
	const above = await add(made, 'documents', { title: 'Log', content: 'Storm' });

	await add(made, 'documents', { title: 'Page', parentId: above.id });
	await api('DELETE', `projects/${made.id}/documents/${above.id}`, undefined, { 'If-Match': '*' });
	const page = await openProject(t, made);
	const deleted = page.getByRole('region', { name: 'Recently deleted' });

	await deleted.getByRole('button', { name: 'Undo: Deleted the document “Log”' }).click();
	await said(page, 'Undone');
	const { root } = await read(made, 'tree');

	assert.deepEqual(root.map(({ title, children }) => [title, children.length]), [['Log', 1]]);
	await link(page, 'Edit project').click();
	await button(page, 'Delete').click();
	await button(dialog(page), 'Delete').click();
	await said(page, `Deleted “${name}”`);
	await page.getByText('Recently deleted').click();
	assert.deepEqual(await violations(page), []);
	await button(page, `Restore ${name}`).click();
	await said(page, `Restored “${name}”`);
	await page.waitForFunction((wanted) =>
		document.querySelector('lamp-project h1')?.textContent === wanted, name);
	await api('DELETE', `projects/${made.id}`, undefined, { 'If-Match': '*' });
	await page.goto(`${base}#/projects`);
	await page.getByText('Recently deleted').click();
	await button(page, `Delete for good: ${name}`).click();
	await button(dialog(page), 'Delete for good').click();
	await said(page, `Deleted “${name}” for good`);
	assert.equal(await button(page, `Restore ${name}`).count(), 0);
});

test('open risks are a grid, in which the arrow keys lead from one to the next', async (t) => {
	const made = await project(t);

	await add(made, 'risks', { title: 'Storm', likelihood: 'high', impact: 'critical' });
	await add(made, 'risks', { title: 'Ice', likelihood: 'low', impact: 'high' });
	await add(made, 'risks', { title: 'Gulls', likelihood: 'low', impact: 'low', stateKey: 'closed' });
	const page = await openProject(t, made, 'risks');
	const grid = page.getByRole('table', { name: 'Open risks by likelihood and impact' });

	await grid.getByRole('link', { name: 'Ice' }).focus();
	await page.keyboard.press('ArrowRight');
	await focused(page, 'Storm');
	await page.keyboard.press('ArrowLeft');
	await focused(page, 'Ice');
	assert.equal(await grid.getByRole('link').count(), 2);
	assert.equal(await grid.getByRole('columnheader').count(), 4);
	assert.deepEqual(await violations(page), []);
	await grid.getByRole('link', { name: 'Ice' }).press('Enter');
	await heading(page, 'Ice');
});

test('projects: open risks in a grid by likelihood and impact', () => {
	const of = (...values) => values.map((value) => ({ value, label: value.toUpperCase() }));
	const form = { name: 'projects/risks', fields: [
		{ key: 'stateKey', choices: [...of('open', 'occurred'),
			{ value: 'closed', label: 'CLOSED', closed: true }] },
		{ key: 'likelihood', choices: of('low', 'medium', 'high') },
		{ key: 'impact', choices: of('low', 'medium', 'high', 'critical') }] };
	const items = [{ id: 'a', likelihood: 'high', impact: 'critical', stateKey: 'open' },
		{ id: 'b', likelihood: 'low', impact: 'low', stateKey: 'occurred' },
		{ id: 'c', likelihood: 'low', impact: 'low', stateKey: 'closed' },
		{ id: 'd', likelihood: 'low', impact: null, stateKey: 'open' }];
	const { impacts, rows } = riskGrid(form, items);

	assert.deepEqual(impacts.map(({ value }) => value), ['low', 'medium', 'high', 'critical']);
	assert.deepEqual(rows.map(({ label }) => label), ['HIGH', 'MEDIUM', 'LOW']);
	assert.deepEqual(rows.map(({ cells }) => cells.map((cell) => cell.items.map(({ id }) => id).join())),
		[['', '', '', 'a'], ['', '', '', ''], ['b', '', '', '']]);
	assert.deepEqual(rows[0].cells.map(({ severity }) => severity),
		['medium', 'high', 'critical', 'critical']);
	assert.equal(riskGrid(form, items.slice(2)), null);
});

test('projects: choices, and yes or no, that the installation declares are filters, too', () => {
	const declared = (type, n) => ({ key: `props.f${n}`, type,
		choices: type === 'text' ? [] : null });

	assert.deepEqual(kindOf({ name: 'projects/goals', fields: [{ key: 'title', choices: [] },
		declared('integer', 0), declared('text', 1), declared('boolean', 2)] }).filters,
	['stateKey', 'typeKey', 'props.f1', 'props.f2']);
	assert.equal(kindOf({ name: 'projects/goals', fields: Array.from({ length: 20 }, (_, n) =>
		declared('boolean', n)) }).filters.length, 8);
});
