import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { readProblem } from "./problem.ts";
import { whyUnreachable } from "./unreachable.ts";

/** A client of one service with one key. Its requests reject with `Unreachable`, `Answered`, or the signal's reason, which is a Failure. */
export interface Client {
  readonly url: string;
  get(path: string): Promise<unknown>;
  /** Sends the request once more if its answer was lost and the headers have an `idempotency-key`. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Sends the request once more if its answer was lost, because a deletion is idempotent. */
  delete(path: string): Promise<unknown>;
  /** Opens a streamed answer. The caller reads its body. */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
}

/** The service did not answer. */
export class Unreachable extends Failure {
  override readonly name = "Unreachable";
  constructor(message: string, cause: unknown) {
    super(EXIT.unreachable, message, { cause });
  }
}

/** The service sent an answer other than 2xx. The message has the service's words. */
export class Answered extends Failure {
  override readonly name = "Answered";
  readonly status: number;
  /** The problem's code. Empty if the answer did not come from Toolbus. */
  readonly code: string;
  constructor(exitCode: ExitCode, status: number, code: string, message: string) {
    super(exitCode, message);
    this.status = status;
    this.code = code;
  }
}

export interface ClientOptions {
  readonly url: string;
  readonly service: "gateway" | "approvals";
  /** Null if no key is needed. */
  readonly key: string | null;
  /** The source of the key in words. The error names it if the service refuses the key. */
  readonly keySource?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const TIMEOUT_MS = 15_000;
const SERVICE_NAMES = { gateway: "The gateway", approvals: "The approvals service" } as const;

export function client({ url, service, key, keySource, signal, timeoutMs = TIMEOUT_MS }: ClientOptions): Client {
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  return {
    url,
    get: (path) => json(path, {}),
    async post(path, body, headers = {}) {
      const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
      try {
        return await json(path, init);
      } catch (error) {
        if (!(error instanceof Unreachable) || !("idempotency-key" in headers)) throw error;
        return json(path, init);
      }
    },
    async delete(path) {
      try {
        return await json(path, { method: "DELETE" });
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        return json(path, { method: "DELETE" });
      }
    },
    async open(path, headers, reading) {
      const waiting = new AbortController();
      const timer = setTimeout(() => waiting.abort(new DOMException("No answer in time.", "TimeoutError")), timeoutMs);
      try {
        return await answer(path, { headers }, AbortSignal.any([waiting.signal, reading]));
      } finally {
        clearTimeout(timer);
      }
    },
  };

  async function json(path: string, init: Asking): Promise<unknown> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const response = await answer(path, init, deadline);
    try {
      return await response.json();
    } catch (error) {
      throw failed(error);
    }
  }

  async function answer(path: string, init: Asking, until: AbortSignal): Promise<Response> {
    let response: Response;
    let text = "";
    try {
      response = await fetch(url + path, {
        ...init,
        redirect: "manual",
        headers: { ...authorization, ...init.headers },
        signal: signal ? AbortSignal.any([signal, until]) : until,
      });
      if (response.ok) return response;
      text = await response.text();
    } catch (error) {
      throw failed(error);
    }
    const problem = readProblem(text, { url, service, status: response.status });
    if (problem.code === "unauthenticated" && keySource !== undefined) {
      const words = `${SERVICE_NAMES[service]} at ${url} does not accept the key from ${keySource}: it is wrong, expired, revoked, or of another Toolbus.`;
      throw new Answered(problem.exitCode, response.status, problem.code, `${words} "${SELF} doctor" checks both keys.`);
    }
    throw new Answered(problem.exitCode, response.status, problem.code, problem.sentence);
  }

  function failed(error: unknown): Error {
    if (signal?.aborted && signal.reason instanceof Error) return signal.reason;
    return new Unreachable(whyUnreachable(error, { url, service, timeoutMs }), error);
  }
}
