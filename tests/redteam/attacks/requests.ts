import { keys } from "@toolbus/contracts";
import type { Arena, Held } from "../arena.ts";
import { answered, type Attack, both, type Expected, type Outcome, reached, refusedWith, service } from "../attack.ts";
import { type Answer, ask } from "../http.ts";
import { TOOLS } from "../payments.ts";
import type { People } from "../people.ts";
import { textIn } from "../text-in.ts";

/** HTTP requests by people and programs that do not have the right to make them. */
export const requests: readonly Attack[] = [
  onApproval("a user of the gateway looks at an approval", answered(401), (url, { rita }) => ask(url, rita)),
  onApproval("a user of the gateway decides", answered(401), (url, { rita }) => ask(`${url}/decision`, rita, APPROVE)),
  onApproval("somebody without a key decides", answered(401), (url) => ask(`${url}/decision`, null, APPROVE)),
  onApproval(
    "the requester decides, with an approver's key of their own",
    service("self_approval", /self_approval/),
    async (url, { amy, ritaApproving }) => ask(`${url}/decision`, ritaApproving, { decision: "approve", token: await tokenOf(url, amy) }),
  ),
  onApproval("an approver decides with the token of another", service("unknown_token", /unknown_token/), async (url, { amy, ben }) =>
    ask(`${url}/decision`, ben, { decision: "approve", token: await tokenOf(url, amy) }),
  ),
  onApproval("an approver decides with a token that is made up", service("unknown_token", /unknown_token/), async (url, { amy }) =>
    ask(`${url}/decision`, amy, { decision: "approve", token: "made-up-by-amy-herself-because-she-can" }),
  ),
  onApproval("an approver without the scope of the tier gets no token", answered(200), async (url, { junior }) => ask(url, junior)),
  onApproval("an approver of another tenant looks at an approval", answered(404), (url, { foreignApprover }) => ask(url, foreignApprover)),
  onApproval("an operator decides", answered(403), async (url, { operator, amy }) =>
    ask(`${url}/decision`, operator, { decision: "approve", token: await tokenOf(url, amy) }),
  ),
  onApproval(
    "one approver decides a critical write twice",
    answered(403),
    async (url, { amy }) => {
      const body = async (): Promise<object> => ({ decision: "approve", ticket: "OPS-9", token: await tokenOf(url, amy) });
      const first = await body();
      await ask(`${url}/decision`, amy, first);
      const token = await tokenOf(url, amy);
      return ask(`${url}/decision`, amy, { ...first, token: token === "" ? "none-was-given-to-her-any-more-at-all" : token });
    },
    "critical",
  ),
  route("the era is raised with an approver's key", answered(403), (arena, { amy }) =>
    ask(arena.approvals("/v1/era/raise"), amy, { era: 1, reason: "because" }),
  ),
  route("a write is enabled with an approver's key", answered(403), (arena, { amy }) =>
    ask(arena.approvals(`/v1/writes/${TOOLS.high}/enable`), amy, { toolset: "payments", hash: `sha256-${"A".repeat(43)}` }),
  ),
  route("a write is switched off with a key of the gateway", answered(401), (arena, { rita }) =>
    ask(arena.approvals(`/v1/writes/${TOOLS.high}/disable`), rita, {}),
  ),
  route("an approver's key asks the gateway for a run", answered(401), (arena, { amy }) =>
    ask(arena.gateway("/v1/conversations"), amy, {}),
  ),
  route("a run is asked for without a key", answered(401), (arena) => ask(arena.gateway("/v1/conversations"), null, {})),
  onRun("the run of another tenant is looked at", answered(404), (url, { foreigner }) => ask(url, foreigner)),
  onRun("the run of somebody else is cancelled", answered(404), (url, { reader }) => ask(`${url}/cancel`, reader, {})),
  onRun("the stream of a run is read with the ticket of another", answered(401), async (url, { rita }, arena) => {
    const other = await arena.asked("read", { payee: "BAKERY", amount: 1 });
    const { body } = await ask(`${arena.gateway(`/v1/runs/${other.runId}`)}/events/ticket`, rita, {});
    return ask(`${url}/events?ticket=${encodeURIComponent(textIn(body["ticket"]))}`, null);
  }),
];

const APPROVE = { decision: "approve", token: "made-up-by-somebody-without-a-right" };

async function tokenOf(url: string, key: string): Promise<string> {
  const { body } = await ask(url, key);
  return typeof body["decisionToken"] === "string" ? body["decisionToken"] : "";
}

/** Makes a pending approval, which somebody without the right tries to read or decide. */
function onApproval(
  name: string,
  expected: Expected,
  act: (url: string, people: People) => Promise<Answer>,
  which: "high" | "critical" = "high",
): Attack {
  return {
    name,
    attacker: "http",
    expected: both(expected),
    async run(arena) {
      const write = await arena.held(which, { payee: "BAKERY", amount: 11 });
      const answer = await act(arena.approvals(`/v1/approvals/${encodeURIComponent(write.approvalId)}`), arena.system.people);
      return judged(arena, write, answer);
    },
  };
}

async function judged(arena: Arena, write: Held, { status, body }: Answer): Promise<Outcome> {
  const { status: stored } = await arena.stored(keys.approval(write.approvalId));
  await arena.decide(write, "deny", "ben");
  if (stored !== "pending") return reached(`it is ${textIn(stored)}`);
  if (body["decisionToken"] !== undefined) return reached("it was given a token");
  return { reached: false, status, detail: `${status}: ${textIn(body["code"] ?? body["mayNotBecause"] ?? "")}`, about: write.callId };
}

function onRun(name: string, expected: Expected, act: (url: string, people: People, arena: Arena) => Promise<Answer>): Attack {
  return {
    name,
    attacker: "http",
    expected: both(expected),
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 12 });
      const answer = await act(arena.gateway(`/v1/runs/${write.runId}`), arena.system.people, arena);
      return judged(arena, write, answer);
    },
  };
}

function route(name: string, expected: Expected, act: (arena: Arena, people: People) => Promise<Answer>): Attack {
  return {
    name,
    attacker: "http",
    expected: both(expected),
    async run(arena) {
      const { status, body } = await act(arena, arena.system.people);
      return status < 300 ? reached(`it was answered ${status}`) : refusedWith(status, `${status}: ${textIn(body["code"])}`);
    },
  };
}
