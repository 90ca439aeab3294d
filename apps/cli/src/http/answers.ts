import {
  AgentList,
  ApprovalEvidence,
  ApprovalPage,
  ApprovalToDecide,
  ApprovalView,
  AuditPage,
  CallEvidence,
  CheckpointPage,
  ContextView,
  ConversationPage,
  ConversationView,
  DeletedConversation,
  DeadLetterPage,
  DeadLetterView,
  DeliveryPage,
  describeProblems,
  EraView,
  MessagePage,
  type Parsed,
  parser,
  RefusedList,
  RunHistory,
  RunPage,
  RunView,
  SealsView,
  SecurityEvents,
  ToolList,
  ToolRemoval,
  WriteList,
  WriteView,
} from "@toolbus/contracts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

type Schema = Parameters<typeof parser>[0];

/**
 * Returns a copy of the schema that also accepts unknown fields and kinds of events, because a newer server may send some. The client ignores them.
 */
function open<S extends Schema>(schema: S): S {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === "oneOf" || (name === "additionalProperties" && value === false) ? undefined : value,
  ) as S;
}

export const readRun = read("run", parser(open(RunView)));
export const readRunPage = read("list of runs", parser(open(RunPage)));
export const readHistory = read("history of the run", parser(open(RunHistory)));
export const readConversation = read("conversation", parser(open(ConversationView)));
export const readDeletedConversation = read("deleted conversation", parser(open(DeletedConversation)));
export const readConversations = read("list of conversations", parser(open(ConversationPage)));
export const readMessages = read("list of messages", parser(open(MessagePage)));
export const readContext = read("context", parser(open(ContextView)));
export const readTools = read("list of tools", parser(open(ToolList)));
export const readAgents = read("list of agents", parser(open(AgentList)));
export const readDeadLetter = read("dead letter", parser(open(DeadLetterView)));
export const readDeliveries = read("list of webhooks", parser(open(DeliveryPage)));
export const readDeadLetters = read("list of dead letters", parser(open(DeadLetterPage)));
export const readEra = read("era", parser(open(EraView)));
export const readWrites = read("list of writes", parser(open(WriteList)));
export const readWrite = read("write", parser(open(WriteView)));
export const readRefused = read("list of refused documents", parser(open(RefusedList)));
export const readSecurityEvents = read("list of security events", parser(open(SecurityEvents)));
export const readSeals = read("count of seals", parser(open(SealsView)));
export const readRemoval = read("removal", parser(open(ToolRemoval)));
export const readApproval = read("approval", parser(open(ApprovalView)));
export const readApprovalToDecide = read("approval", parser(open(ApprovalToDecide)));
export const readAuditPage = read("audit", parser(open(AuditPage)));
export const readCheckpoints = read("list of checkpoints", parser(open(CheckpointPage)));
export const readApprovalEvidence = read("evidence", parser(open(ApprovalEvidence)));
export const readCallEvidence = read("evidence", parser(open(CallEvidence)));
export const readApprovals = read("list of approvals", parser(open(ApprovalPage)));

/**
 * Returns a function that parses an answer by its schema. The returned function throws a Failure if the server sends another version of the answer.
 */
function read<T>(what: string, parse: (value: unknown) => Parsed<T>): (answer: unknown) => T {
  return (answer) => {
    const parsed = parse(answer);
    if (parsed.ok) return parsed.value;
    throw new Failure(
      EXIT.failed,
      `This version of toolbus cannot read the server's ${what} (${describeProblems(parsed.problems)}): use the toolbus that came with the server.`,
    );
  };
}
