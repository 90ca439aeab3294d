import { Refusal } from "../refusal.ts";
import type { Route } from "./route.ts";

/** Throws a `Refusal` that names every route that does not declare who may call it or what it does. The service then does not start. */
export function checkRoutes(routes: readonly Route[]): void {
  const faults = routes.flatMap((route) => faultsOf(route).map((fault) => `${route.method} ${route.url} ${fault}`));
  for (const [id, here] of Map.groupBy(routes, ({ docs }) => docs?.operationId)) {
    if (id && here.length > 1)
      faults.push(`${here.map(({ method, url }) => `${method} ${url}`).join(" and ")} share the operationId "${id}"`);
  }
  if (faults.length > 0) throw new Refusal(`The service has routes that declare too little: ${faults.join("; ")}. Fix their declarations.`);
}

// The types require the same declarations. This check covers routes that bypass the types.
function faultsOf({ url, access, docs }: Partial<Route>): string[] {
  const faults: string[] = [];
  if (access === undefined || access.length === 0) faults.push("does not say who may call it (access)");
  if (docs === undefined) return [...faults, "is not documented (docs)"];
  if (!docs.operationId || !docs.summary || !docs.tag) faults.push("lacks its operationId, summary or tag");
  if (Object.keys(docs.answers ?? {}).length === 0) faults.push("does not say what it answers");
  if (url?.includes(":id") && !docs.id) faults.push("does not say what its id is");
  return faults;
}
