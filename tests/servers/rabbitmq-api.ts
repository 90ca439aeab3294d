/** Sends a request to RabbitMQ's management API. Closes the connection afterwards, because the test may kill the server next. */
export async function rabbitmqApi(
  managementUrl: string | null,
  method: string,
  resource: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { origin, username, password } = new URL(managementUrl ?? "");
  const headers = {
    authorization: `Basic ${btoa(`${username}:${password}`)}`,
    "content-type": "application/json",
    connection: "close",
  };
  const payload = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${origin}/api/${resource}`, { method, headers, signal: AbortSignal.timeout(20_000), ...payload });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}
