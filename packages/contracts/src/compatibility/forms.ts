import * as audit from "../documents/audit-chain.ts";
import * as agent from "../documents/agent.ts";
import * as approval from "../documents/approval.ts";
import * as budget from "../documents/budget.ts";
import { ContextDocument } from "../documents/context.ts";
import { Era } from "../documents/era.ts";
import * as gateway from "../documents/gateway.ts";
import * as guide from "../documents/guide.ts";
import { KeptLetter } from "../documents/kept-letter.ts";
import { LedgerRow } from "../documents/ledger.ts";
import * as mcp from "../documents/mcp-servers.ts";
import { PageSession } from "../documents/page-session.ts";
import { ProfileText } from "../documents/profile-text.ts";
import * as question from "../documents/question.ts";
import { RateMinute } from "../documents/rate.ts";
import * as registry from "../documents/registry.ts";
import { Removal } from "../documents/removal.ts";
import { LetterDismissal } from "../documents/letter-dismissal.ts";
import { ReplayRequest } from "../documents/replay-request.ts";
import { ServerSummary } from "../documents/server-summary.ts";
import { SlackMessage } from "../documents/slack-message.ts";
import { WebhookDelivery } from "../documents/webhook-delivery.ts";
import { DeadLetter } from "../dead-letter.ts";
import { GrantClaims, PlanClaims, ReceiptClaims, SendingClaims } from "../grant.ts";
import { McpMetadataRefresh, McpServersIndexed } from "../mcp-messages.ts";
import * as messages from "../messages.ts";
import { MCP_TOOLSET } from "../mcp-tools.ts";
import { type DeploymentParts, GUIDES, isNamed, OPERATIONS, rightsOf, type ServiceRights } from "../rights.ts";
import { topics } from "../topics.ts";

/** The services that may have different versions during an upgrade. The workers of all toolsets are one role. */
export type Role = "gateway" | "agent" | "approvals" | "operations" | "worker";

/** A form of something that one process writes and another one reads. */
export interface Form {
  /** The type of a message, `family/name` of a document, or the type of a signed token. */
  readonly name: string;
  readonly kind: "message" | "document" | "token";
  readonly writers: readonly Role[];
  readonly readers: readonly Role[];
  readonly schema: object;
}

/** The families whose contents have no schema, so nothing compares them. */
export const UNCHECKED_FAMILIES = ["transcript", "events", "live", "policy", "security"] as const;

/** The parts of a deployment with one of each kind of worker. */
const ANY = "any";
export const ALL_PARTS: DeploymentParts = { agents: [ANY], toolsets: [ANY, GUIDES, MCP_TOOLSET] };

const types = messages.messageTypes;

const MESSAGES: readonly (readonly [type: string, topic: string, schema: object])[] = [
  [types.runWake, topics.runWake, messages.RunWake],
  [types.approvalRequest, topics.approvalRequest, messages.ApprovalRequest],
  [types.approvalCancel, topics.approvalCancel, messages.ApprovalCancel],
  [types.approvalRollback, topics.approvalRollback, messages.ApprovalRollback],
  [types.approvalPlanned, topics.approvalPlanned, messages.ApprovalPlanned],
  [types.approvalHeld, topics.approvalHeld(ANY), messages.ApprovalHeld],
  [types.approvalDecided, topics.approvalDecided(ANY), messages.ApprovalDecided],
  [types.toolInvoke, topics.invoke(ANY), messages.ToolInvoke],
  [types.toolPlan, topics.plan(ANY), messages.ToolPlan],
  [types.toolResult, topics.result(ANY), messages.ToolResponse],
  [types.toolError, topics.result(ANY), messages.ToolFailure],
  [types.grantStale, topics.result(ANY), messages.ToolFailure],
  [types.toolProgress, topics.progress(ANY), messages.ToolProgress],
  [types.toolCancel, topics.toolCancel, messages.ToolCancel],
  [types.toolAnnounce, topics.toolAnnounce, messages.ToolAnnounce],
  [types.toolRefresh, topics.toolRefresh, messages.ToolRefresh],
  [types.mcpServersIndexed, topics.mcpServersIndexed, McpServersIndexed],
  [types.mcpMetadataRefresh, topics.mcpMetadataRefresh, McpMetadataRefresh],
  [types.operationsReplay, topics.operationsReplay, messages.OperationsReplay],
];

const DOCUMENTS: readonly (readonly [family: string, documents: Readonly<Record<string, object>>])[] = [
  ["origin", { ConversationOrigin: gateway.ConversationOrigin, RunOrigin: gateway.RunOrigin }],
  ["inbox", { InboxEntry: gateway.InboxEntry }],
  ["ticket", { StreamTicket: gateway.StreamTicket }],
  ["conversation", { ConversationState: agent.ConversationState }],
  ["run", { Run: agent.Run }],
  ["call", { Call: agent.Call }],
  ["stop", { Stop: agent.Stop }],
  ["context", { ContextDocument }],
  ["budget", { BudgetWindow: budget.BudgetWindow, BudgetReservation: budget.BudgetReservation }],
  ["working", { WorkingResult: agent.WorkingResult, ResultIndex: agent.ResultIndex }],
  ["profile", { ProfileList: agent.ProfileList, ProfileText }],
  ["approval", { Approval: approval.Approval }],
  ["token", { DecisionToken: approval.DecisionToken, PageSession }],
  [
    "audit",
    {
      ChainHead: audit.ChainHead,
      ChainPosition: audit.ChainPosition,
      ChainLease: audit.ChainLease,
      ChainedRecords: audit.ChainedRecords,
    },
  ],
  ["pin", { Pin: registry.Pin }],
  ["era", { Era }],
  ["quota", { Quota: approval.Quota }],
  ["dead", { KeptLetter }],
  ["replay", { ReplayRequest, LetterDismissal }],
  ["removal", { Removal }],
  ["skill", { Skill: guide.Skill, SkillNames: guide.SkillNames, SkillSave: guide.SkillSave }],
  ["summary", { ServerSummary }],
  [
    "registry.*",
    {
      Registration: registry.Registration,
      Replicas: registry.Replicas,
      ReplacedDefinition: registry.ReplacedDefinition,
      Guide: guide.Guide,
      McpServers: mcp.McpServers,
      McpLease: mcp.McpLease,
    },
  ],
  ["ledger.*", { LedgerRow }],
  ["question.*", { CallQuestions: question.CallQuestions }],
  ["answer.*", { QuestionAnswer: question.QuestionAnswer }],
  ["rate.*", { RateMinute }],
  ["hook.agent", { WebhookDelivery }],
  ["hook.approvals", { WebhookDelivery, SlackMessage }],
];

/** Returns every form of messages, documents and signed tokens, with the services that write and read it according to their rights. */
export function forms(): readonly Form[] {
  const rights = rightsOf(ALL_PARTS);
  const rolesWith = (has: (service: ServiceRights) => boolean): readonly Role[] => [
    ...new Set(rights.filter(has).map(({ service }) => roleOf(service))),
  ];
  return [
    ...MESSAGES.map(([name, topic, schema]): Form => ({
      name,
      kind: "message",
      writers: rolesWith(({ topics: t }) => [...t.publishes, ...t.announces].includes(topic)),
      readers: rolesWith(({ topics: t }) => [...t.consumes, ...t.listens].includes(topic)),
      schema,
    })),
    { name: types.deadLetter, kind: "message", writers: ROLES, readers: [OPERATIONS], schema: DeadLetter },
    ...DOCUMENTS.flatMap(([family, documents]) => {
      const one = family.replace("*", family.startsWith("rate") ? "gateway" : ANY);
      const writers = rolesWith(({ store }) => isNamed(familiesOf(store.documents.writes), one));
      const others = rolesWith(({ store }) => isNamed(familiesOf(store.documents.reads), one));
      // A service that may write something may also read it.
      const readers = [...new Set([...writers, ...others])];
      return Object.entries(documents).map(([name, schema]): Form => ({
        name: `${family}/${name}`,
        kind: "document",
        writers,
        readers,
        schema,
      }));
    }),
    { name: "tb-grant+jwt", kind: "token", writers: ["approvals"], readers: ["worker"], schema: GrantClaims },
    { name: "tb-receipt+jwt", kind: "token", writers: ["worker"], readers: ["agent", "worker"], schema: ReceiptClaims },
    { name: "tb-sending+jwt", kind: "token", writers: ["worker"], readers: ["worker", "agent"], schema: SendingClaims },
    { name: "tb-plan+jwt", kind: "token", writers: ["worker"], readers: ["approvals"], schema: PlanClaims },
  ];
}

/** The families of documents that a form describes. */
export const CHECKED_FAMILIES: readonly string[] = DOCUMENTS.map(([family]) => family);

const ROLES = ["gateway", "agent", "approvals", "operations", "worker"] as const satisfies readonly Role[];

function roleOf(service: string): Role {
  return ROLES.find((role) => role === service) ?? "worker";
}

function familiesOf(named: readonly string[]): readonly string[] {
  return named.map((name) => name.split(":", 1)[0] ?? "");
}
