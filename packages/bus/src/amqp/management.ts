import type { ManagementAddress } from "./amqp-url.ts";
import type { AmqpPolicy } from "./policies.ts";

/**
 * Returns the differences between the policies that a bus needs and the policies on the broker, one sentence each. It asks the management plugin,
 * because AMQP does not report policies. If the plugin does not answer within seconds, or before the signal aborts, the result is one sentence that
 * says so.
 */
export async function policyDifferences(
  { url, user, password }: ManagementAddress,
  vhost: string,
  wanted: readonly AmqpPolicy[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  let found: unknown;
  try {
    const response = await fetch(`${url}/api/policies/${encodeURIComponent(vhost)}`, {
      headers: { authorization },
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    if (!response.ok) return [`The policies could not be checked: the management plugin answered ${response.status}.`];
    found = await response.json();
  } catch {
    return ["The policies could not be checked: the management plugin does not answer."];
  }
  return comparePolicies(found, wanted);
}

/** Compares the needed policies with the answer of `/api/policies/<vhost>`. */
export function comparePolicies(found: unknown, wanted: readonly AmqpPolicy[]): readonly string[] {
  if (!Array.isArray(found)) return ["The policies could not be checked: the management plugin's answer is not a list."];
  const set: readonly unknown[] = found;
  return wanted.flatMap((policy) => {
    const same = set.map(recordOf).find(({ name }) => name === policy.name);
    return same ? differences(policy, same) : [`Policy "${policy.name}" is not set.`];
  });
}

const ANSWER_MS = 5000;

function differences({ name, pattern, definition }: AmqpPolicy, found: Readonly<Record<string, unknown>>): readonly string[] {
  const set = recordOf(found["definition"]);
  const wrong = Object.entries(definition).filter(([key, value]) => set[key] !== value);
  return [
    ...(found["pattern"] === pattern ? [] : [`Policy "${name}" is for ${textOf(found["pattern"])}, and should be for ${pattern}.`]),
    ...wrong.map(([key, value]) => `Policy "${name}" has ${key} ${textOf(set[key])}, and should have ${value}.`),
  ];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string {
  return value === undefined ? "not set" : JSON.stringify(value).slice(0, 100);
}
