import { replayRecord } from "@toolbus/all-in-one/replay";
import { parseRunRecord, type RunRecord } from "@toolbus/contracts";
import { expect } from "vitest";
import { call } from "./http-client.ts";

/** Plays a run again from the record of the gateway, expects that every event and entry is byte-equal, and returns the record. */
export async function replayed(gateway: string, operatorKey: string, runId: string): Promise<RunRecord> {
  const { status, body } = await call(`${gateway}/v1/runs/${runId}/record`, operatorKey);
  const parsed = parseRunRecord(body);
  if (!parsed.ok) throw new Error(`The gateway answered ${status} without a record: ${JSON.stringify(body).slice(0, 500)}`);
  const record = parsed.value;
  const { difference, events, entries } = await replayRecord(record);
  const own = record.transcript.filter(({ entry }) => entry.runId === runId);
  expect({ difference, events, entries }).toEqual({ difference: null, events: record.events.length, entries: own.length });
  return record;
}
