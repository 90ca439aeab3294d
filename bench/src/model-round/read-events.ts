/**
 * Posts JSON over `fetch`, and yields the data of each server-sent event of the answer. It parses only the parts of the format that the stub uses.
 */
export async function* readEvents(url: string, body: object, headers: Readonly<Record<string, string>>): AsyncGenerator<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok || !response.body) throw new Error(`the model answered ${response.status}`);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body) {
    const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) yield event.slice(event.indexOf("data: ") + "data: ".length);
  }
}
