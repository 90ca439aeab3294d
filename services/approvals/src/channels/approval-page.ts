/** Returns the address of an approval's page, or null if `APPROVALS_PUBLIC_URL` is empty. The address only shows the approval: a GET never decides. */
export function approvalPage(publicUrl: string, approvalId: string): string | null {
  if (publicUrl === "") return null;
  return `${publicUrl.replace(/\/+$/, "")}/approvals/${encodeURIComponent(approvalId)}`;
}
