import { crashMutants } from "./crash-mutants.ts";
import { decisionMutants } from "./decision-mutants.ts";
import { planMutants } from "./plan-mutants.ts";
import { rareMutants } from "./rare-mutants.ts";
import type { TestMutant } from "./test-mutant.ts";

const SEALED = "services/approvals/src/sealed/sealed-approvals.test.ts";

/**
 * One mutant for each check behind the rule that a document does not count only because it is in a store (decision 0032). Also mutants for checks of
 * rights and limits.
 */
export const testMutants: readonly TestMutant[] = [
  {
    name: "seal not compared",
    breaks: "a sealed document counts whatever its seal says",
    patches: [
      {
        file: "packages/grants/src/seal.ts",
        find: "if (given.length !== expected.length || !timingSafeEqual(given, expected))",
        replace: "if (given.length !== expected.length && !timingSafeEqual(expected, expected))",
      },
    ],
    tests: [SEALED],
  },
  {
    name: "seal without the key of the store",
    breaks: "a sealed document counts under another key as well",
    patches: [
      {
        file: "packages/grants/src/seal.ts",
        find: "const expected = macOf([key, kid, revision, content], known.secret);",
        replace: 'const expected = macOf(["", kid, revision, content], known.secret);',
      },
      {
        file: "packages/grants/src/seal.ts",
        find: "const mac = macOf([key, kid, revision, bare], secret)",
        replace: 'const mac = macOf(["", kid, revision, bare], secret)',
      },
    ],
    tests: [SEALED],
  },
  {
    name: "remembered by its key alone",
    breaks: "a document that was opened once counts whatever it contains later",
    patches: [
      {
        file: "packages/grants/src/seal-reader.ts",
        find: "if (known.get(key) === text && isObject(value)) {",
        replace: "if (known.has(key) && isObject(value)) {",
      },
    ],
    tests: ["packages/grants/src/seal-reader.test.ts"],
  },
  {
    name: "verified by whichever key",
    breaks: "a text that one key signed counts as another key's",
    patches: [
      {
        file: "packages/grants/src/jws.ts",
        find: "const texts = textsOfPublicHalf.get(x) ?? new Set();",
        replace: 'const texts = textsOfPublicHalf.get(x && "") ?? new Set();\n  textsOfPublicHalf.set("", texts);',
      },
    ],
    tests: ["packages/grants/src/jws.test.ts"],
  },
  {
    name: "key id ignored",
    breaks: "every seal is compared with the current secret, whichever it names",
    patches: [{ file: "packages/grants/src/seal.ts", find: "const known = keys.all.get(kid);", replace: "const known = keys.current;" }],
    tests: ["packages/grants/src/seal.test.ts"],
  },
  {
    name: "revision not compared",
    breaks: "an older copy of a sealed document counts again",
    patches: [
      {
        file: "packages/grants/src/seen-revisions.ts",
        find: "if (seen !== undefined && revision < seen) return false;",
        replace: "if (seen !== undefined && revision < seen) return true;",
      },
    ],
    tests: [SEALED],
  },
  {
    name: "signed content not compared",
    breaks: "a signed document counts with another content",
    patches: [
      { file: "packages/grants/src/signed-document.ts", find: "if (hash !== hashOf(content))", replace: "if (hash === undefined)" },
    ],
    tests: [SEALED],
  },
  {
    name: "signed document under any key",
    breaks: "a signed document counts under another key as well",
    patches: [
      {
        file: "packages/grants/src/signed-document.ts",
        find: `if (!isObject(claims) || claims["key"] !== key)`,
        replace: "if (!isObject(claims))",
      },
    ],
    tests: ["packages/grants/src/signed-document.test.ts"],
  },
  {
    name: "origin's signature not checked by approvals",
    breaks: "approvals trusts whoever wrote the origin of a run",
    patches: [
      {
        file: "services/approvals/src/sealed/approval-documents.ts",
        find: `if (verdict.kind !== "genuine") {`,
        replace: "if (verdict.kind === undefined) {",
      },
    ],
    tests: [SEALED],
  },
  {
    name: "refused approval shown",
    breaks: "a person sees, and decides, what somebody else wrote",
    patches: [
      {
        file: "services/approvals/src/sealed/approval-documents.ts",
        find: `return opened.kind === "genuine" ? { version`,
        replace: `return opened.kind !== "absent" && "value" in opened ? { version`,
      },
      {
        file: "services/approvals/src/decisions/decisions.ts",
        find: "if (records.refused) return damaged(records.refused);\n        const approval",
        replace: "const approval",
      },
    ],
    tests: [SEALED],
  },
  {
    name: "tampered count not refused",
    breaks: "policy counts from any number that somebody wrote",
    patches: [
      {
        file: "services/approvals/src/requests/granted-so-far.ts",
        find: `return document.why === "older" ? document.seen : null;`,
        replace: "return 0;",
      },
    ],
    tests: [SEALED],
  },
  {
    name: "notice of a loss not verified",
    breaks: "everybody on the bus can raise the era",
    patches: [
      {
        file: "services/approvals/src/eras/rollbacks.ts",
        find: `if (sender.kind !== "genuine") {`,
        replace: "if (sender.kind === undefined) {",
      },
    ],
    tests: [SEALED],
  },
  {
    name: "notices without a bound",
    breaks: "one compromised service raises the era without a limit",
    patches: [
      {
        file: "services/approvals/src/eras/era.ts",
        find: "if (raisesOf(shard) >= RAISES_PER_HOUR) {",
        replace: "if (raisesOf(shard) < 0) {",
      },
    ],
    tests: ["services/approvals/src/eras/era.test.ts"],
  },
  {
    name: "cancel not verified",
    breaks: "everybody on the bus can withdraw a pending approval",
    patches: [
      {
        file: "services/approvals/src/requests/requests.ts",
        find: "if (refusedSender !== null) return refuseCancel",
        replace: "if (refusedSender === undefined) return refuseCancel",
      },
    ],
    tests: [SEALED],
  },
  {
    name: "cancel of another agent's request",
    breaks: "an agent withdraws the request of another one",
    patches: [
      {
        file: "services/approvals/src/requests/requests.ts",
        find: "if (agentOf(message) !== approval.value.agent) return",
        replace: "if (agentOf(message) === undefined) return",
      },
    ],
    tests: [SEALED],
  },
  {
    name: "hourly rate not counted",
    breaks: "policy grants a tool to one requester without a limit, in any number of runs",
    patches: [{ file: "services/approvals/src/requests/grant-rate.ts", find: "if (granted >= perHour) return false;", replace: "" }],
    tests: ["services/approvals/src/requests/requests.test.ts"],
  },
  {
    name: "message signed for any body",
    breaks: "a signed message is accepted with another body",
    patches: [
      {
        file: "packages/grants/src/signed-message.ts",
        find: "names.every((name) => claims[name] === expected[name]);",
        replace: "names.every((name) => name in claims);",
      },
    ],
    tests: ["packages/grants/src/signed-document.test.ts"],
  },
  {
    name: "prepared value not verified",
    breaks: "a worker continues with any value that somebody put into its ledger",
    patches: [
      {
        file: "packages/tool-kit/src/writes/row-proof.ts",
        find: "return hash === verdict.claims.preparedHash ? GENUINE",
        replace: "return hash !== undefined ? GENUINE",
      },
    ],
    tests: ["packages/tool-kit/src/writes/forged-ledger.test.ts"],
  },
  {
    name: "sending row not verified",
    breaks: "a worker continues with a row that no worker of its toolset wrote",
    patches: [
      {
        file: "packages/tool-kit/src/writes/row-proof.ts",
        find: `if (verdict.kind !== "genuine") return unproven(verdict.kind, verdict.detail);`,
        replace: `if (verdict.kind !== "genuine") return GENUINE;`,
      },
    ],
    tests: ["packages/tool-kit/src/writes/forged-ledger.test.ts"],
  },
  {
    name: "receipt of a done row not verified",
    breaks: "a result that somebody put into a ledger is repeated",
    patches: [
      {
        file: "packages/tool-kit/src/writes/row-proof.ts",
        find: `return verdict.kind === "genuine" ? GENUINE : unproven(verdict.kind, verdict.detail);`,
        replace: "return GENUINE;",
      },
    ],
    tests: ["packages/tool-kit/src/writes/forged-ledger.test.ts"],
  },
  {
    name: "answer joined without a receipt",
    breaks: "the agent accepts anybody's answer to a write",
    patches: [
      {
        file: "services/agent/src/steps/write-proofs.ts",
        find: `receiptKeys.of(call));
      if (verdict.kind === "genuine") return verdict.toolHash;`,
        replace: `receiptKeys.of(call));
      if (verdict.kind !== undefined) return call.toolHash;`,
      },
    ],
    tests: ["services/agent/src/steps/write-proofs.test.ts"],
  },
  {
    name: "row of a ledger believed",
    breaks: "the agent ends a write by a row that no worker signed",
    patches: [
      {
        file: "services/agent/src/steps/write-proofs.ts",
        find: "if (why === null) return true;",
        replace: "if (why !== undefined) return true;",
      },
    ],
    tests: ["services/agent/src/steps/write-proofs.test.ts"],
  },
  {
    name: "era not verified by workers",
    breaks: "a worker runs under an era that somebody wrote",
    patches: [
      {
        file: "packages/tool-kit/src/writes/signed-era.ts",
        find: `if (verdict.kind !== "genuine" && verdict.kind !== "older") return { kind: "refused"`,
        replace: `if (verdict.kind === undefined) return { kind: "refused"`,
      },
    ],
    tests: ["packages/tool-kit/src/writes/signed-era.test.ts"],
  },
  {
    name: "origin's signature not checked by agents",
    breaks: "an agent trusts whoever wrote the origin of a run",
    patches: [
      { file: "services/agent/src/origins.ts", find: `if (verdict.kind !== "genuine") {`, replace: "if (verdict.kind === undefined) {" },
    ],
    tests: ["services/agent/src/incoming/inbox.test.ts"],
  },
  {
    name: "rights not checked where a call is made",
    breaks: "a model calls a tool that its requester may not use",
    patches: [
      {
        file: "packages/contracts/src/tool-rights.ts",
        find: "if (missing.length === 0) return null;",
        replace: "if (missing.length >= 0) return null;",
      },
    ],
    tests: ["services/agent/src/transitions/call-rights.test.ts"],
  },
  {
    name: "retry acknowledged first",
    breaks: "a delivery is removed from RabbitMQ before its replacement is stored",
    patches: [
      {
        file: "packages/bus/src/amqp/consumer.ts",
        find: `        if (disposition.kind === "retry") await sendAgain(session, message, count, disposition.after);`,
        replace: `        acks.ack(received);
        if (disposition.kind === "retry") await sendAgain(session, message, count, disposition.after);`,
      },
      { file: "packages/bus/src/amqp/consumer.ts", find: "return acks.ack(received);", replace: "return;" },
    ],
    tests: ["tests/servers/amqp.test.ts"],
  },
  {
    name: "commits not synced",
    breaks: "what SQLite acknowledged is lost when the machine loses power",
    patches: [
      {
        file: "packages/state/src/sqlite/open-database.ts",
        find: `database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");`,
        replace: `database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;");`,
      },
      { file: "packages/state/src/sqlite/open-database.ts", find: "const SYNCHRONOUS_FULL = 2;", replace: "const SYNCHRONOUS_FULL = 0;" },
    ],
    tests: ["packages/state/src/sqlite/open-database.test.ts"],
  },
  {
    name: "writes worth nothing",
    breaks: "a long conversation forgets its changes before its look-ups",
    patches: [
      {
        file: "services/agent/src/context/importance.ts",
        find: "if (head.calls.some(({ name, tool = name }) => isWrite(tool))) return 0.9;",
        replace: "if (head.calls.some(({ name, tool = name }) => isWrite(tool))) return 0;",
      },
    ],
    tests: ["services/agent/src/context/importance.test.ts"],
  },
  {
    name: "failures worth nothing",
    breaks: "a long conversation forgets its failures, and repeats them",
    patches: [
      {
        file: "services/agent/src/context/importance.ts",
        find: `if (unit.entries.some(({ entry }) => entry.type === "result" && entry.isError)) return 0.6;`,
        replace: "",
      },
    ],
    tests: ["services/agent/src/context/importance.test.ts"],
  },
  {
    name: "messages worth nothing",
    breaks: "a long conversation forgets its requests",
    patches: [
      {
        file: "services/agent/src/context/importance.ts",
        find: `if (head.type === "user") return 0.8;`,
        replace: `if (head.type === "user") return 0;`,
      },
    ],
    tests: ["services/agent/src/context/importance.test.ts"],
  },
  {
    name: "one definition for every run",
    breaks: "a run uses the definition that another one began with",
    patches: [
      {
        file: "services/agent/src/catalogue.ts",
        find: "new Map(tools.map((tool) => [tool.hash, byHash.get(tool.hash)]))",
        replace: "new Map(tools.map((tool) => [tool.hash, byHash.values().find(({ definition }) => definition.name === tool.name)]))",
      },
    ],
    tests: ["services/agent/src/catalogue.test.ts"],
  },
  {
    name: "answers to the default agent only",
    breaks: "a worker answers an agent other than the one that called",
    patches: [
      {
        file: "packages/tool-kit/src/calls/result-message.ts",
        find: `return RESULT_TOPIC.exec(replyTo ?? "")?.[1] ?? DEFAULT_AGENT;`,
        replace: `return replyTo === undefined || RESULT_TOPIC.test(replyTo) ? DEFAULT_AGENT : DEFAULT_AGENT;`,
      },
    ],
    tests: ["packages/tool-kit/src/writes/write-grant.test.ts"],
  },
  ...crashMutants,
  ...rareMutants,
  ...decisionMutants,
  ...planMutants,
];
