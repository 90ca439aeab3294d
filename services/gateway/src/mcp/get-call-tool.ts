import type { JsonObject } from "@toolbus/contracts";
import { refused, type Refused } from "../refused.ts";
import { GET_CALL } from "./call-result.ts";

const MAX_WAIT_S = 25;

/** The tool that answers how an earlier call stands. It changes nothing. */
export const getCallTool = {
  name: GET_CALL,
  description:
    "Answers how an earlier call of this server stands, and gives its result once there is one. Use it when a call answered with the status waiting. " +
    'For example {"handle": "rn_05_01JD0000000000000000000001", "wait_seconds": 20}. Not for starting anything: it changes nothing.',
  inputSchema: {
    type: "object",
    properties: {
      handle: { type: "string", minLength: 1, maxLength: 80, description: "The handle that the call gave." },
      wait_seconds: { type: "integer", minimum: 0, maximum: MAX_WAIT_S, description: "How long to wait for the result; 0 by default." },
    },
    required: ["handle"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
} as const;

/** The arguments of the tool. */
export interface Asked {
  readonly kind: "asked";
  readonly handle: string;
  readonly waitSeconds: number;
}

/** Reads the arguments of the tool, or says what is wrong with them. */
export function readAsked({ handle, wait_seconds: waitSeconds = 0, ...more }: JsonObject): Asked | Refused {
  const fault = (message: string): Refused => refused("invalid_request", message, `Send {"handle": "rn_…", "wait_seconds": 20}.`);
  if (typeof handle !== "string" || handle === "") return fault("The argument handle must be the handle that a call gave.");
  if (typeof waitSeconds !== "number" || !Number.isInteger(waitSeconds) || waitSeconds < 0 || waitSeconds > MAX_WAIT_S)
    return fault(`The argument wait_seconds must be a whole number from 0 to ${MAX_WAIT_S}.`);
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) return fault(`There is no argument "${unknown.slice(0, 40)}".`);
  return { kind: "asked", handle, waitSeconds };
}
