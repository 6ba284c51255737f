// SPDX-License-Identifier: MIT
// A page of assistant-ui's parts, for pages.test.mjs, which uses it as a person does.
import { ActionBarPrimitive, AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive,
	ThreadPrimitive } from '@assistant-ui/react';
import { AssistantChatTransport, useChatRuntime } from '@assistant-ui/react-ai-sdk';
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';

const { api, headers } = globalThis.given;

const Tool = ({ toolName, result }) =>
	h('p', { className: 'tool' }, `${toolName}: ${result === undefined ? 'runs' : 'done'}`);

const Message = () => h(MessagePrimitive.Root, { className: 'message' },
	h(MessagePrimitive.Parts, { components: { tools: { Fallback: Tool } } }),
	h(ActionBarPrimitive.Root, null, h(ActionBarPrimitive.Reload, null, 'Again')));

function Chat()
{
	const runtime = useChatRuntime({ transport: new AssistantChatTransport({ api, headers }) });

	return h(AssistantRuntimeProvider, { runtime },
		h(ThreadPrimitive.Root, null,
			h(ThreadPrimitive.Messages, { components: { Message } }),
			h(ComposerPrimitive.Root, null,
				h(ComposerPrimitive.Input, { placeholder: 'Message' }),
				h(ComposerPrimitive.Send, null, 'Send'),
				h(ComposerPrimitive.Cancel, null, 'Stop'))));
}

createRoot(document.getElementById('root')).render(h(Chat));
