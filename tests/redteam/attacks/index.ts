import type { Attack } from "../attack.ts";
import { answers } from "./answers.ts";
import { approvalDocuments } from "./approval-documents.ts";
import { calls, smuggled } from "./calls.ts";
import { drifts } from "./drifts.ts";
import { forgedDecisions } from "./forged-decisions.ts";
import { ledgers } from "./ledgers.ts";
import { mcpClients } from "./mcp-clients.ts";
import { mcpRegistering } from "./mcp-registering.ts";
import { messages } from "./messages.ts";
import { origins } from "./origins.ts";
import { pins } from "./pins.ts";
import { planQuestions } from "./plan-questions.ts";
import { plans } from "./plans.ts";
import { registrations } from "./registrations.ts";
import { requests } from "./requests.ts";
import { disturbances, servers } from "./servers.ts";
import { skills } from "./skills.ts";
import { streams } from "./streams.ts";

/** All attacks in the order of the trial. The most disruptive attacks are last. */
export const ATTACKS: readonly Attack[] = [
  ...approvalDocuments,
  ...origins,
  ...calls,
  smuggled,
  ...answers,
  ...forgedDecisions,
  ...ledgers,
  ...plans,
  ...planQuestions,
  ...drifts,
  ...registrations,
  ...messages,
  ...requests,
  ...mcpClients,
  ...skills,
  ...mcpRegistering,
  ...streams,
  ...servers,
  ...pins,
  ...disturbances,
];
