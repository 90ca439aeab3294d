import path from "node:path";
import type { LocalKeys } from "./local-keys.ts";

export interface Greeting {
  readonly gatewayUrl: string;
  readonly approvalsUrl: string;
  readonly keys: LocalKeys;
  /** The data directory, which contains the keys. */
  readonly directory: string;
  readonly model: string;
  readonly releaseId: string;
  readonly notes: readonly string[];
  /** How the person calls the command line for this Toolbus, such as "./toolbus". */
  readonly command: string;
  /** The lines that say what runs where, each with a label and a few words. They contain no password. */
  readonly where: readonly (readonly [word: string, what: string])[];
}

/** Returns the text for a person at the terminal when everything has started: the addresses, the keys if they were just made, and what to try. */
export function greeting({ gatewayUrl, approvalsUrl, keys, directory, model, releaseId, notes, command, where }: Greeting): string {
  // A shell's history may keep these lines, and somebody may see them. So they contain no key.
  const userKey = quoted(path.join(directory, "keys", "user.key"));
  const tries = [
    ["doctor", "what works, what does not, and how to fix it"],
    ['chat "hello"', model.startsWith("offline rules") ? "lists the tools, with an example call of each" : "talks to the model"],
    [
      `investigate ${/^[\w./-]+$/.test(releaseId) ? releaseId : quoted(releaseId)}`,
      "judges a release and files a report, once a person approves it",
    ],
    ["approvals list", "what waits for a person"],
  ].map(([words, does]) => [`${command} ${words}`, does] as const);
  const width = Math.max(...tries.map(([typed]) => typed.length));
  const lines = [
    ...notes,
    `gateway    ${gatewayUrl}`,
    `approvals  ${approvalsUrl}`,
    `page       ${approvalsUrl}/   decide in a browser; sign in with the approver key`,
    ...where.map(([word, what]) => `${word.padEnd(9)}  ${what}`),
    `model      ${model}`,
    "",
    ...(keys.made
      ? [
          `user key      ${keys.user}`,
          `operator key  ${keys.operator}`,
          `approver key  ${keys.approver}   (for the approvals address only)`,
          `They are shown this once, and kept in ${path.join(directory, "keys")}.`,
        ]
      : [`keys       ${path.join(directory, "keys")}   (user.key, operator.key, approver.key)`]),
    "",
    "Try in another terminal:",
    ...tries.map(([typed, does]) => `  ${typed.padEnd(width)}   ${does}`),
    `The same investigation over HTTP (all routes: ${gatewayUrl}/docs and ${approvalsUrl}/docs):`,
    `  curl -s ${gatewayUrl}/v1/investigations -H "Authorization: Bearer $(cat ${userKey})" -H 'Content-Type: application/json' -d '{"releaseId":"${releaseId}"}'`,
    "",
    "Stop with Ctrl-C.",
  ];
  return `${lines.join("\n")}\n`;
}

/** Quotes a word for a shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns an address without its login and parameters, because both may contain a password. The namespace stays, because a worker that is started with
 * the printed address must meet the services.
 */
export function withoutLogin(address: string): string {
  const { protocol, host, pathname, searchParams } = new URL(address);
  const namespace = searchParams.get("namespace");
  return `${protocol}${host === "" ? "" : `//${host}`}${pathname}${namespace === null ? "" : `?namespace=${encodeURIComponent(namespace)}`}`;
}
