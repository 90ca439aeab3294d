import { type Json, type JsonObject, type Role } from "@toolbus/contracts";
import { HttpProblem, type Principal, type Route } from "@toolbus/runtime";
import { StoreUnavailable } from "@toolbus/state";
import type { Prng } from "../clockwork/prng.ts";
import type { SimProcess } from "../clockwork/sim-process.ts";
import { oneWay, type Wire } from "../ports/wire.ts";

/** A simulated process with HTTP routes. */
export interface Served {
  readonly process: SimProcess;
  readonly routes: readonly Route[];
}

export interface Asked {
  readonly method: "GET" | "POST";
  /** The path as the route declares it: `/v1/runs/:id`. */
  readonly url: string;
  readonly id?: string;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly principal: Principal;
}

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** No answer arrived in time. The request may have been executed. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/**
 * Sends an HTTP request to one of these processes. The simulator has no real HTTP: it calls the handler that the server would call, after the same
 * checks of the caller's role. Either the request or the answer can be lost. Rejects with `NoAnswer`.
 */
export function askOver(wire: Wire, served: readonly Served[], asked: Asked): Promise<Answer> {
  const { clockwork, faults, random } = wire;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const label = `${asked.method} ${asked.url.replace(":id", asked.id ?? "")}`;
  clockwork.schedule(null, TIMEOUT_MS, `client: no answer to ${label}`, () => reject(new NoAnswer(label)));
  const alive = served.filter(({ process }) => process.alive);
  if (alive.length === 0 || faults.hit("lost_request")) return promise;
  const { process, routes } = random.pick(alive);
  const lost = faults.hit("lost_reply");
  process.after(oneWay(wire), `${process.name}: ${label}`, () => {
    void answer(routes, asked).then((given) => {
      if (!lost) clockwork.schedule(null, oneWay(wire), `client: ${given.status} to ${label}`, () => resolve(given));
    });
  });
  return promise;
}

const TIMEOUT_MS = 6000;

/**
 * Repeats a request that has no answer or the answer "not now", as a client does. Returns null if it gives up. Calls `onFault` for a fault of the
 * server.
 */
export async function insist(
  wire: Wire,
  asked: Asked,
  options: {
    readonly served: () => readonly Served[];
    readonly tries: number;
    readonly random: Prng;
    readonly onFault: (what: string) => void;
  },
): Promise<Answer | null> {
  const { served, tries, random, onFault } = options;
  for (let attempt = 0; attempt < tries; attempt++) {
    try {
      const answer = await askOver(wire, served(), asked);
      if (answer.status < 500) return answer;
      if (answer.status === 500) onFault(`${asked.method} ${asked.url}: ${JSON.stringify(answer.body)}`);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    }
    await sleep(wire, random.magnitude(200, 4000));
  }
  return null;
}

/** Waits as long as a person would, in virtual time. */
export function sleep({ clockwork }: Wire, ms: number): Promise<void> {
  return new Promise((resolve) => void clockwork.schedule(null, ms, "people", resolve));
}

async function answer(routes: readonly Route[], asked: Asked): Promise<Answer> {
  const route = routes.find(({ method, url }) => method === asked.method && url === asked.url);
  if (!route) throw new Error(`There is no route ${asked.method} ${asked.url}.`);
  if (route.access !== "public" && !mayCall(asked.principal.roles, route.access)) return { status: 403, body: {} };
  const reply = new Reply();
  try {
    // The handlers use only these fields of a request. A handler that used another field would fail here at once.
    const request = { params: { id: asked.id }, query: {}, body: asked.body, headers: asked.headers ?? {} } as unknown as Parameters<
      Route["handle"]
    >[0];
    const body = await route.handle(request, reply as unknown as Parameters<Route["handle"]>[1], asked.principal);
    return { status: reply.status, body: asObject(body) };
  } catch (error) {
    if (error instanceof HttpProblem) return { status: error.status, body: { code: error.code } };
    if (error instanceof StoreUnavailable) return { status: 503, body: {} };
    return { status: 500, body: { fault: error instanceof Error ? error.message : String(error) } };
  }
}

function mayCall(roles: readonly Role[], access: readonly Role[]): boolean {
  return roles.some((role) => access.includes(role));
}

/** The parts of an answer that a handler sets besides the body. */
class Reply {
  status = 200;

  code(status: number): this {
    this.status = status;
    return this;
  }

  header(_name: string, _value: string): this {
    return this;
  }

  headers(_values: object): this {
    return this;
  }
}

function asObject(body: unknown): JsonObject {
  const text: Json = JSON.parse(JSON.stringify(body ?? {}));
  return typeof text === "object" && text !== null && !Array.isArray(text) ? (text as JsonObject) : {};
}
