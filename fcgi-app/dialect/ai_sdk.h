/* SPDX-License-Identifier: MIT */
/* The additional data of a request for the ai-sdk dialect. */
#ifndef DIALECT_AI_SDK_H
#define DIALECT_AI_SDK_H

/* dialect_state.asked of DIALECT_AI_SDK. */
struct ai_sdk_asked {
	int version;		/* the client's major version; 0 = not said */
};

#endif
