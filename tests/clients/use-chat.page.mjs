// SPDX-License-Identifier: MIT
// A page with useChat, for use-chat.test.mjs, which uses what the hook gives.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses,
	lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

const { api, headers, tools } = globalThis.given;

function Chat({ id, resume })
{
	const chat = useChat({
		id, resume,
		transport: new DefaultChatTransport({
			api, headers, body: { client: { mode: 'page', tools } },
		}),
		sendAutomaticallyWhen: (options) =>
			lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
			lastAssistantMessageIsCompleteWithToolCalls(options),
		onToolCall({ toolCall }) {
			if (toolCall.toolName === 'pick_row')
				chat.addToolOutput({ tool: 'pick_row', toolCallId: toolCall.toolCallId,
					output: { picked: toolCall.input.id } });
		},
	});

	globalThis.chat = chat;
	return createElement('p', null, chat.messages.length);
}

function Page()
{
	const [shown, setShown] = useState(null);

	globalThis.openChat = (id, resume) => {
		globalThis.chat = null;
		setShown({ id, resume, key: crypto.randomUUID() });
	};
	return shown && createElement(Chat, shown);
}

createRoot(document.getElementById('root')).render(createElement(Page));
