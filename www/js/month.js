// SPDX-License-Identifier: MIT
// Calendars: months, weeks and days, "2027-03-01". Independent of DOM and HTTP.

const DAY_MS = 86400000;

const dayOfMs = (ms) => new Date(ms).toISOString().slice(0, 10);

/** The month so many months later. @param {string} month "2027-03" */
export function monthOf(month, step)
{
	const [year, number] = month.split('-').map(Number);

	return dayOfMs(Date.UTC(year, number - 1 + step, 1)).slice(0, 7);
}

/** The weeks that have a day of the month, each from Monday to Sunday. */
export function weeksOf(month)
{
	const first = Date.parse(`${month}-01T00:00:00Z`);
	const last = Date.parse(`${monthOf(month, 1)}-01T00:00:00Z`) - DAY_MS;
	const begin = first - (new Date(first).getUTCDay() + 6) % 7 * DAY_MS;
	const weeks = [];

	for (let ms = begin; ms <= last; ms += 7 * DAY_MS)
		weeks.push([0, 1, 2, 3, 4, 5, 6].map((n) => dayOfMs(ms + n * DAY_MS)));
	return weeks;
}

/** The day of a time, on this device's clocks. */
function localDay(time)
{
	const at = new Date(time);
	const two = (n) => String(n).padStart(2, '0');

	return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Whether an occurrence takes place on the day; one that ends at midnight does not. */
export function dayOf(item, day)
{
	if (item.wholeDays)
		return item.start <= day && day <= item.end;
	const end = Math.max(Date.parse(item.startsAt), Date.parse(item.endsAt) - 1);

	return localDay(item.startsAt) <= day && day <= localDay(end);
}

/** How a calendar is looked at. */
export const VIEWS = ['month', 'week', 'agenda'];
/** What an agenda shows: a month and a bit. */
const AGENDA_DAYS = 35;

/** The day so many days later. @param {string} day "2027-03-01" */
export function dayAfter(day, days)
{
	return dayOfMs(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

/** The days that a view shows around one. @returns {string[]} */
export function daysOf(view, day)
{
	if (view === 'month')
		return weeksOf(day.slice(0, 7)).flat();
	const days = (from, n) => Array.from({ length: n }, (_, i) => dayAfter(from, i));

	if (view === 'agenda')
		return days(day, AGENDA_DAYS);
	return weeksOf(day.slice(0, 7)).find((week) => week.includes(day));
}

/** The day around which the next view, or the one before it, is: step 1 or -1. */
export function dayBeside(view, day, step)
{
	return view === 'month' ? `${monthOf(day.slice(0, 7), step)}-01` :
		dayAfter(day, step * (view === 'week' ? 7 : AGENDA_DAYS));
}
