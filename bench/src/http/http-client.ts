import { Agent, type IncomingMessage, request } from "node:http";

// One connection that stays open, so that only the request is measured.
const kept = new Agent({ keepAlive: true, maxSockets: 1 });

/** Posts JSON and returns the JSON of the answer. Rejects if the request is refused. */
export async function post(url: string, apiKey: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text), authorization: `Bearer ${apiKey}` };
  const response = await answered(url, { method: "POST", headers, agent: kept }, text);
  const answer = await textOf(response);
  if (response.statusCode !== 202) throw new Error(`${url} answered ${response.statusCode}: ${answer}`);
  return JSON.parse(answer) as Record<string, unknown>;
}

/** Opens a stream on its own connection, and closes it when the first event has arrived. */
export async function firstEvent(url: string, apiKey: string): Promise<void> {
  const headers = { accept: "text/event-stream", authorization: `Bearer ${apiKey}` };
  const response = await answered(url, { headers, agent: false });
  let text = "";
  for await (const bytes of response.setEncoding("utf8")) {
    text += bytes;
    if (/^id: .*\n(?:.+\n)+\n/m.test(text)) return;
  }
  throw new Error(`${url} ended without an event: ${response.statusCode} ${text}`);
}

function answered(url: string, options: object, body = ""): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request(url, options, resolve).once("error", reject).end(body));
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const bytes of response.setEncoding("utf8")) text += bytes;
  return text;
}
