/**
 * Returns the fields of a line, with the ids that follow from the given ones. An approval's id contains the id of its call, and a call's id contains
 * that of its run. So a run's id finds every line about the run, whichever service wrote it.
 */
export function withRunOf(fields: Fields): Fields {
  const { approvalId, callId = callOf(approvalId), runId = runOf(callId) } = fields;
  return {
    ...(runId === undefined || "runId" in fields ? {} : { runId }),
    ...(callId === undefined || "callId" in fields ? {} : { callId }),
    ...fields,
  };
}

/** Returns the fields without ids that another id already contains, because a line at a terminal should be short. */
export function withoutRepeatedIds(fields: Fields): Fields {
  const { approvalId, callId, runId, ...rest } = fields;
  return {
    ...(runId === undefined || runOf(callId) === runId ? {} : { runId }),
    ...(callId === undefined ? {} : { callId }),
    ...(approvalId === undefined || callOf(approvalId) === callId ? {} : { approvalId }),
    ...rest,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function callOf(approvalId: unknown): string | undefined {
  return typeof approvalId === "string" ? /^ap_(rn_\w+\.\d+\.\d+)$/.exec(approvalId)?.[1] : undefined;
}

function runOf(callId: unknown): string | undefined {
  return typeof callId === "string" ? /^(rn_\w+)\.\d+\.\d+$/.exec(callId)?.[1] : undefined;
}
