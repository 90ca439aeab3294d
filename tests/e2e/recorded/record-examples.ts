import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import { type Answered, type Asked, investigationBrain } from "@toolbus/model-servers";
import { pause } from "@toolbus/runtime";
import { type RecordingSystem, RELEASE, recordingSystem } from "./recording-system.ts";
import { type Seen, type WatchedStream, watchStream } from "./watched-stream.ts";

/** The recording of a whole system: the first event of each type, as `{id, data}`, and named answers of the gateway and of approvals. */
export interface Recording {
  readonly events: Readonly<Record<string, JsonObject>>;
  readonly gateway: Readonly<Record<string, JsonObject>>;
  readonly approvals: Readonly<Record<string, JsonObject>>;
}

/** The one write of an investigation. */
const FILING = "file_risk_report";
const DEADLINE_MS = 60_000;
const LEASE_MS = 10_000;
const LOOK_AGAIN_MS = 15_000;
/** After this time no service waits for a call any more, in milliseconds. It is the sum of the call's not-after, its timeout and a lease. */
const UNTIL_NOBODY_WAITS_MS = 900_000 + 600_000 + LEASE_MS;
/** How long the recording waits for the effect of an advanced clock before it advances the clock again. */
const PATIENCE_MS = 200;

/** Makes a whole system send every type of event that a stream can contain. */
export async function recordExamples(): Promise<Recording> {
  await using system = await recordingSystem();
  const recorder = recorderOf(system);
  await investigate(recorder);
  // This part must come before the era is raised. After that no ledger proves an outcome.
  await settle(recorder);
  await operate(recorder);
  await askAndQueue(recorder);
  await retry(recorder);
  await takeOver(recorder);
  await fail(recorder);
  await cancelInProgress(recorder);
  await askFromTool(recorder);
  await waitForWorkerUntilStop(recorder);
  const { streams, gateway, approvals } = recorder;
  return { events: firstOfEach(streams), gateway, approvals };
}

type Recorder = ReturnType<typeof recorderOf>;

function recorderOf(system: RecordingSystem) {
  const streams: WatchedStream[] = [];
  const gateway: Record<string, JsonObject> = {};
  const approvals: Record<string, JsonObject> = {};
  const { gatewayUrl, approvalsUrl, keys } = system;
  const watched = (stream: WatchedStream): WatchedStream => (streams.push(stream), stream);
  const user = (path: string, body?: JsonObject) => asked(gatewayUrl + path, keys.user, body);
  return {
    system,
    streams,
    /** Each records an answer of its service under a name. */
    gateway,
    approvals,
    /** Posts an investigation or a message, whose answer is a stream, and reads the stream. */
    post: async (path: string, body: JsonObject) => watched(await watchStream(gatewayUrl + path, keys.user, body)),
    watch: async (runId: string) => watched(await watchStream(`${gatewayUrl}/v1/runs/${runId}/events`, keys.user)),
    user,
    remove: (path: string) => asked(gatewayUrl + path, keys.user, undefined, "DELETE"),
    approver: (path: string, body?: JsonObject) => asked(approvalsUrl + path, keys.approver, body),
    conversation: async () => textIn(await user("/v1/conversations", { profile: "chat" }), "conversationId"),
  };
}

async function asked(url: string, key: string, body?: JsonObject, method = body ? "POST" : "GET"): Promise<JsonObject> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const answer = (await response.json()) as JsonObject;
  if (!response.ok) throw new Error(`${method} ${url} was answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Runs an investigation whose report a person approves. */
async function investigate({ system, post, user, approver, gateway, approvals }: Recorder): Promise<void> {
  system.model.think(investigationBrain());
  const stream = await post("/v1/investigations", { releaseId: RELEASE });
  const runId = runOf(await stream.next("accepted"));
  const held = await stream.next("call.held");
  gateway["waitingRun"] = await user(`/v1/runs/${runId}`);
  gateway["runs"] = await user("/v1/runs");
  gateway["tools"] = onlyOf(await user("/v1/tools"), "tools", "get_release_summary");
  gateway["agents"] = await user("/v1/agents");
  approvals["page"] = await approver("/v1/approvals");
  approvals["writes"] = onlyOf(await approver("/v1/writes"), "writes", FILING);
  approvals["write"] = await approver(`/v1/writes/${FILING}`);
  const at = `/v1/approvals/${textIn(held.data, "approvalId")}`;
  const pending = await approver(at);
  approvals["pending"] = pending;
  const token = textIn(pending, "decisionToken");
  approvals["approved"] = await approver(`${at}/decision`, { decision: "approve", token, comment: "Two failed tests are known." });
  await stream.next("run.completed");
  gateway["completedRun"] = await user(`/v1/runs/${runId}`);
  gateway["history"] = await user(`/v1/runs/${runId}/history?limit=2`);
}

/** Performs the operator's actions on writes and on the era. */
async function operate({ approver, approvals }: Recorder): Promise<void> {
  const at = `/v1/writes/${FILING}`;
  approvals["disabledWrite"] = await approver(`${at}/disable`, {});
  const registered = approvals["disabledWrite"]["registered"] as readonly JsonObject[];
  approvals["enabledWrite"] = await approver(`${at}/enable`, { toolset: "release", hash: registered[0]?.["hash"] ?? null });
  approvals["raisedWrite"] = await approver(`${at}/tier`, { tier: "critical" });
  approvals["era"] = await approver("/v1/era");
  approvals["raisedEra"] = await approver("/v1/era/raise", { era: 1, reason: "restored from the backup of midnight", hold: true });
  approvals["resumedEra"] = await approver("/v1/era/resume", { shards: ["03"] });
}

/** Records a question to the person, a message that waits while the question is open, and the answer. */
async function askAndQueue({ system, user, remove, watch, gateway }: Recorder): Promise<void> {
  const options = [RELEASE, "v1.5.0"];
  system.model.think(
    says((text, results) =>
      results.length > 0
        ? { text: `${RELEASE} changes 4 files, and 2 of its tests fail.` }
        : text.startsWith("Is the release")
          ? {
              text: "I need to know which release.",
              calls: [{ name: "ask_user", arguments: { question: "Which release do you mean?", options } }],
            }
          : { text: "You are welcome." },
    ),
  );
  gateway["conversation"] = await user("/v1/conversations", { profile: "chat" });
  const conversationId = textIn(gateway["conversation"], "conversationId");
  const messages = `/v1/conversations/${conversationId}/messages`;
  gateway["acceptedRun"] = await user(messages, { text: "Is the release ready?" });
  const runId = textIn(gateway["acceptedRun"], "runId");
  const stream = await watch(runId);
  const question = await stream.next("call.asked");
  gateway["askingRun"] = await user(`/v1/runs/${runId}`);
  const second = await watch(textIn(await user(messages, { text: "Thank you." }), "runId"));
  await second.next("run.queued");
  await user(`/v1/runs/${runId}/answers`, { callId: question.data["callId"] ?? null, text: RELEASE });
  await second.next("run.completed");
  gateway["messages"] = await user(messages);
  gateway["context"] = await user(`/v1/conversations/${conversationId}/context`);
  gateway["conversations"] = await user("/v1/conversations?limit=1");
  gateway["deletedConversation"] = await remove(`/v1/conversations/${conversationId}`);
}

/** Records the retry after a short overload of the model. */
async function retry({ system, post, conversation }: Recorder): Promise<void> {
  system.model.failNext({ kind: "status", status: 529, message: "Overloaded" });
  const stream = await post(`/v1/conversations/${await conversation()}/messages`, { text: "Hello." });
  const { data } = await stream.next("model.retry");
  await passUntil(system, Number(data["waitMs"]), stream.next("run.completed"));
}

/** Records a model that stops in the middle of its text until the lease of the run expires. The round is then written again under another epoch. */
async function takeOver({ system, post, conversation }: Recorder): Promise<void> {
  system.model.think(
    says((_, results) =>
      results.length > 0
        ? { text: `${RELEASE} changes 4 files.` }
        : { text: "I read the summary of the release.", calls: [{ name: "get_release_summary", arguments: { release_id: RELEASE } }] },
    ),
  );
  system.model.failNext({ kind: "silence" });
  const stream = await post(`/v1/conversations/${await conversation()}/messages`, { text: `What is in ${RELEASE}?` });
  await stream.next("delta");
  await passUntil(system, LEASE_MS, stream.next("reset"));
  await stream.next("arguments");
  await stream.next("run.completed");
}

/** Records a run that fails because the model's server refuses the key. */
async function fail({ system, post, conversation }: Recorder): Promise<void> {
  system.model.failNext({ kind: "status", status: 401 });
  const stream = await post(`/v1/conversations/${await conversation()}/messages`, { text: "Hello." });
  await stream.next("run.failed");
}

/** Records a write whose worker loses the store while its target works. Everything that waits for the write times out before the write succeeds. */
async function settle({ system, post, conversation }: Recorder): Promise<void> {
  system.model.think(
    says((_, results) =>
      results.length > 0
        ? { text: "", calls: [{ name: "ask_user", arguments: { question: "Is the review closed? I could not find out.", options: [] } }] }
        : { text: "I close it.", calls: [{ name: "close_review", arguments: { release_id: RELEASE } }] },
    ),
  );
  const stream = await post(`/v1/conversations/${await conversation()}/messages`, { text: `Close the review of ${RELEASE}.` });
  await system.sent;
  await passUntil(system, UNTIL_NOBODY_WAITS_MS, stream.next("call.asked"));
  system.answer();
  await stream.next("call.settled");
}

/** Records a tool that asks the requester while it runs, and the answer. */
async function askFromTool({ system, post, user, conversation, gateway }: Recorder): Promise<void> {
  system.model.think(
    says((_, results) =>
      results.length > 0
        ? { text: "The reviewer is known." }
        : { text: "I ask for the reviewer.", calls: [{ name: "pick_reviewer", arguments: { release_id: RELEASE } }] },
    ),
  );
  const stream = await post(`/v1/conversations/${await conversation()}/messages`, { text: `Who reviews ${RELEASE}?` });
  const runId = runOf(await stream.next("accepted"));
  const { callId = null, questionId = null } = (await stream.next("question.asked")).data;
  gateway["toolAskingRun"] = await user(`/v1/runs/${runId}`);
  await user(`/v1/runs/${runId}/question-answers`, { callId, questionId, action: "accept", content: { reviewer: "Una" } });
  await stream.next("question.ended");
  await stream.next("run.completed");
}

/** Records a tool that reports its progress, and a person who cancels the run. */
async function cancelInProgress({ system, post, user, conversation, gateway }: Recorder): Promise<void> {
  system.model.think(says(() => ({ text: "I read the commits.", calls: [{ name: "read_commits", arguments: { release_id: RELEASE } }] })));
  const stream = await post(`/v1/conversations/${await conversation()}/messages`, { text: `Read the commits of ${RELEASE}.` });
  const runId = runOf(await stream.next("accepted"));
  await stream.next("progress");
  await user(`/v1/runs/${runId}/cancel`, {});
  await stream.next("run.cancelled");
  gateway["cancelledRun"] = await user(`/v1/runs/${runId}`);
}

/** Records a call whose worker has stopped, and a gateway that stops while a client watches. */
async function waitForWorkerUntilStop({ system, post, conversation }: Recorder): Promise<void> {
  await system.worker.stop();
  const stream = await post(`/v1/conversations/${await conversation()}/messages`, { text: `Read the commits of ${RELEASE}.` });
  await stream.next("turn");
  await passUntil(system, LOOK_AGAIN_MS, stream.next("call.unserved"));
  await Promise.all([stream.next("bye"), system.stop()]);
}

/**
 * Moves the clock ahead in steps until `wanted` resolves. One step is not enough, because a timer that fires while its handler is busy must fire
 * again later.
 */
async function passUntil(system: RecordingSystem, ms: number, wanted: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const passing = (async () => {
    for (let next = ms + 1; !over.signal.aborted; next = LEASE_MS) {
      system.pass(next);
      await pause(PATIENCE_MS, over.signal);
    }
  })();
  await wanted.finally(() => over.abort());
  await passing;
}

/** Returns a model's behaviour. `answer` receives the person's latest message and the results since then, and returns the model's turn. */
function says(answer: (text: string, results: readonly string[]) => Answered): (asked: Asked) => Answered {
  return ({ messages }) => {
    const at = messages.findLastIndex(({ role }) => role === "user");
    const latest = messages[at];
    const results = messages.slice(at).flatMap((message) => (message.role === "tool" ? [message.content] : []));
    return answer(latest?.role === "user" ? latest.text : "", results);
  };
}

/**
 * Returns the first event of each type. An event that the recording waited for comes before all others, because which live events a stream carries
 * depends on how soon the stream was open.
 */
function firstOfEach(streams: readonly WatchedStream[]): Record<string, JsonObject> {
  const all = [...streams.flatMap(({ awaited }) => awaited), ...streams.flatMap(({ seen }) => seen)].filter((one) => !showsLittle(one));
  return Object.fromEntries(all.toReversed().map(({ id, data }) => [textIn(data, "type"), { id, data }]));
}

/**
 * Returns whether an event is a poor example of its type. A seed turn is one, because it precedes the model's own turns. The result of a seed's call
 * is one too, because the seeds' calls are made at once and may end in any order.
 */
function showsLittle({ data: { seed, callId } }: Seen): boolean {
  return seed === true || (typeof callId === "string" && /\.0\.\d+$/.test(callId));
}

/** Returns the answer with only this tool in its list, because a list of all tools would fill pages. */
function onlyOf(answer: JsonObject, list: string, tool: string): JsonObject {
  const all = answer[list];
  const isIt = (one: Json): boolean => isJsonObject(one) && (one["name"] === tool || one["tool"] === tool);
  return { ...answer, [list]: Array.isArray(all) ? all.filter(isIt) : [] };
}

const runOf = ({ data }: Seen): string => textIn(data, "runId");

function textIn(body: JsonObject, field: string): string {
  const value = body[field];
  if (typeof value !== "string") throw new Error(`The field ${field} is ${JSON.stringify(value)}.`);
  return value;
}
