// What the type checker cannot see of the page: its elements by tag, and the events that
// they send (PageElement.emit).
import type { LampAllowed } from '../js/ui/allowed.js';
import type { LampArrange } from '../js/ui/arrange.js';
import type { LampApp } from '../js/ui/app.js';
import type { LampArtifact } from '../js/ui/artifact.js';
import type { LampBlanks } from '../js/ui/blanks.js';
import type { LampChat } from '../js/ui/chat.js';
import type { LampComposer } from '../js/ui/composer.js';
import type { LampConfirm } from '../js/ui/dialogs.js';
import type { LampEditor } from '../js/ui/editor.js';
import type { LampFind } from '../js/ui/find.js';
import type { LampForm } from '../js/ui/form.js';
import type { LampHelp } from '../js/ui/help.js';
import type { LampList } from '../js/ui/list.js';
import type { LampMarkdown } from '../js/ui/markdown.js';
import type { LampMemory } from '../js/ui/memory.js';
import type { LampOccurrence } from '../js/ui/occurrence.js';
import type { LampPerson } from '../js/ui/person.js';
import type { LampPreview } from '../js/ui/preview.js';
import type { LampShare } from '../js/ui/share.js';
import type { LampSource } from '../js/ui/sources.js';
import type { LampThread } from '../js/ui/thread.js';
import type { LampTool } from '../js/ui/tool.js';
import type { LampTurn } from '../js/ui/turn.js';
import type { LampUsed } from '../js/ui/used.js';
import type { Turn } from '../js/store/turn.js';

declare global {
	interface HTMLElementTagNameMap {
		'lamp-allowed': LampAllowed;
		'lamp-app': LampApp;
		'lamp-arrange': LampArrange;
		'lamp-artifact': LampArtifact;
		'lamp-blanks': LampBlanks;
		'lamp-chat': LampChat;
		'lamp-composer': LampComposer;
		'lamp-confirm': LampConfirm;
		'lamp-editor': LampEditor;
		'lamp-find': LampFind;
		'lamp-form': LampForm;
		'lamp-help': LampHelp;
		'lamp-list': LampList;
		'lamp-markdown': LampMarkdown;
		'lamp-memory': LampMemory;
		'lamp-occurrence': LampOccurrence;
		'lamp-person': LampPerson;
		'lamp-preview': LampPreview;
		'lamp-share': LampShare;
		'lamp-source': LampSource;
		'lamp-thread': LampThread;
		'lamp-tool': LampTool;
		'lamp-turn': LampTurn;
		'lamp-used': LampUsed;
	}

	interface HTMLElementEventMap {
		'lamp-own': CustomEvent<{ share: string }>;
		'lamp-talk': CustomEvent<{ agentId?: string, promptId?: string }>;
		'lamp-agent': CustomEvent<{ agentId: string }>;
		'lamp-artifact': CustomEvent<{ box: HTMLElement }>;
		'lamp-arrange': CustomEvent<{ items: any[] }>;
		'lamp-share': CustomEvent<{ id: string }>;
		'lamp-export': CustomEvent<{ ids: string[], format: 'markdown' | 'json' | 'html' }>;
		'lamp-order': CustomEvent<{ ids: string[], fields: object }>;
		'lamp-folder-remove': CustomEvent<{ folder: import('../js/store/order.js').Folder }>;
		'lamp-ask': CustomEvent<{ place: { projectId?: string, focusId?: string,
			contextType?: string, name: string } }>;
		'lamp-carried-out': CustomEvent<{ turn: Turn }>;
		'lamp-plan-skip': CustomEvent<{ turn: Turn, step: { planId: string, stepId: string, waits: any[] } }>;
		'lamp-plan-again': CustomEvent<{ planId: string, steps?: string[], content: string }>;
		'lamp-decided': CustomEvent<{ turn: Turn, wait: any, body: any }>;
		'lamp-delete': CustomEvent<{ id: string, title: string }>;
		'lamp-edit-input': CustomEvent<{ text: string } | undefined>;
		'lamp-edit-last': CustomEvent;
		'lamp-follow-up': CustomEvent<{ text: string }>;
		'lamp-edit': CustomEvent<{ turn: Turn, content: string }>;
		'lamp-made': CustomEvent<{ id: string }>;
		'lamp-correct': CustomEvent<{ turn: Turn, content?: string }>;
		'lamp-compare': CustomEvent<{ messageId: string, index: number, busy: boolean }>;
		'lamp-fork': CustomEvent<{ turn: Turn }>;
		'lamp-rate': CustomEvent<{ turn: Turn, value?: 'good' | 'bad' }>;
		'lamp-rating': CustomEvent<{ turn: Turn }>;
		'lamp-go-on': CustomEvent<{ turn: Turn }>;
		'lamp-regenerate': CustomEvent<{ turn: Turn }>;
		'lamp-rename': CustomEvent<{ id: string, title: string }>;
		'lamp-replied': CustomEvent<{ turn: Turn, wait: any, result: any }>;
		/** heard: it is seen elsewhere */
		'lamp-say': CustomEvent<{ text: string, heard?: boolean }>;
		'lamp-undo': CustomEvent<{ effect: import('../js/ui/effects.js').Effect,
			ended: (error?: Error) => void }>;
		'lamp-send': CustomEvent<{ content: string }>;
		'lamp-source': CustomEvent<{ messageId: string, number: number, shared?: boolean }>;
		'lamp-titles': CustomEvent<{ turn: Turn, shared?: boolean }>;
		'lamp-speak': CustomEvent<{ turn: Turn, answer: Element }>;
		'lamp-take': CustomEvent<{ messageId: string, index: number }>;
		'lamp-stored': CustomEvent<{ row: any }>;
		'lamp-to-field': CustomEvent;
		'lamp-variant': CustomEvent<{ messageId: string, index: number, which: string }>;
	}

	/** The page asks by selector for its own elements only, and all of them are HTML. */
	interface ParentNode {
		querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K):
			HTMLElementTagNameMap[K] | null;
		querySelector(selectors: string): HTMLElement | null;
		querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K):
			NodeListOf<HTMLElementTagNameMap[K]>;
		querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
	}
	interface Element {
		closest<K extends keyof HTMLElementTagNameMap>(selectors: K):
			HTMLElementTagNameMap[K] | null;
		closest(selectors: string): HTMLElement | null;
	}
}
