import { assessRelease, readReleaseFacts } from "@toolbus/models";

/**
 * Does an investigation without Toolbus: fetches the summary, assesses it, and files the report under this key. It stores nothing, so a crash would
 * lose everything.
 */
export async function bareRun(apiUrl: string, releaseId: string, key: string, signal: AbortSignal): Promise<void> {
  const summary = await fetch(`${apiUrl}/release-summary?release_id=${encodeURIComponent(releaseId)}`, { signal });
  const facts = readReleaseFacts(await summary.text());
  if (!facts) throw new Error(`the release API gave no summary but status ${summary.status}`);
  const { severity, findings, unknowns } = assessRelease(facts);
  const lines = [
    ...findings.map((finding) => `${finding.severity}: ${finding.text}`),
    ...unknowns.map((unknown) => `Not known: ${unknown}`),
  ];
  const filed = await fetch(`${apiUrl}/risk-report`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ release_id: releaseId, severity, findings: lines }),
    signal,
  });
  await filed.text();
  if (filed.status !== 201) throw new Error(`the release API took no report but answered ${filed.status}`);
}
