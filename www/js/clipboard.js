// SPDX-License-Identifier: MIT
// Copying text, and saving it as a file. An intranet page over plain http has no navigator.clipboard;
// the old way still works there.

/** @returns true when the text is in the clipboard */
export async function copyText(text)
{
	if (navigator.clipboard && window.isSecureContext) {
		try {
			await navigator.clipboard.writeText(text);
			return true;
		} catch {
			// not allowed for this document: try the other way
		}
	}
	const focused = document.activeElement;
	const field = document.createElement('textarea');
	let done = false;

	field.value = text;
	field.className = 'offscreen';
	field.setAttribute('aria-hidden', 'true');
	document.body.append(field);
	field.select();
	try {
		done = document.execCommand('copy');
	} catch {
		done = false;
	}
	field.remove();
	if (focused instanceof HTMLElement)
		focused.focus();
	return done;
}

/** Has the browser save a text, or a Blob, as a file. */
export function save({ name, type, text })
{
	const link = document.createElement('a');

	link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
