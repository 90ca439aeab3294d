/**
 * The fields of a line, with the ids that follow from the given ones: an approval's id contains its call's, and a call's contains its run's. So the
 * run's id finds every line about a run, whichever service wrote it.
 */
export function withRunOf(fields: Fields): Fields {
  const { approvalId, callId = callOf(approvalId), runId = runOf(callId) } = fields;
  return {
    ...(runId === undefined || "runId" in fields ? {} : { runId }),
    ...(callId === undefined || "callId" in fields ? {} : { callId }),
    ...fields,
  };
}

/** The same fields without the ids that another id already contains, because a line at a terminal should be short. */
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
