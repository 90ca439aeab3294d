/**
 * The fields of a line with the ids that follow from those it has: an approval's id holds its call's, and a call's holds its run's. So every line about a
 * run is found by the run's id, whoever writes it.
 */
export function withRunOf(fields: Fields): Fields {
  const { approvalId, callId = callOf(approvalId), runId = runOf(callId) } = fields;
  return {
    ...(runId === undefined || "runId" in fields ? {} : { runId }),
    ...(callId === undefined || "callId" in fields ? {} : { callId }),
    ...fields,
  };
}

/** The same without the ids that another one of them says already: at a terminal a line is short. */
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
