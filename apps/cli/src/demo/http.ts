import { Refusal } from "@toolbus/runtime";

/** A caller of one service with one key. */
export interface Client {
  readonly url: string;
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  /** A streamed answer; the caller reads its body. */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
}

/** What a service answered other than 2xx, in its own words. */
export class Answered extends Refusal {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const TIMEOUT_MS = 15_000;

export function client(url: string, key: string): Client {
  const authorization = `Bearer ${key}`;
  return {
    url,
    get: (path) => json(path, { headers: { authorization } }),
    post: (path, body, headers = {}) =>
      json(path, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    async open(path, headers, signal) {
      const response = await fetch(url + path, { headers: { authorization, ...headers }, signal });
      if (!response.ok) throw await answered(response);
      return response;
    },
  };

  async function json(path: string, init: RequestInit): Promise<unknown> {
    const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw await answered(response);
    return response.json();
  }
}

async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  try {
    const { detail, remedy } = JSON.parse(text) as { detail?: string; remedy?: string };
    return new Answered(response.status, [detail, remedy].filter(Boolean).join(" "));
  } catch {
    return new Answered(response.status, `${response.url} answered ${response.status}.`);
  }
}
