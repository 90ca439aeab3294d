import { type Context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { NO_PAIRS } from "../attribute-pairs.ts";
import { type Scope, scopes } from "../scope.ts";
import { OwnSpan } from "./own-span.ts";

/**
 * Keeps the active context of OpenTelemetry's API in the scope of our spans. So a span of ours enters one storage and not two, and costs no context
 * unless a tool or an instrumentation asks for it. What others make active is kept as theirs.
 */
export class OwnContext extends AsyncLocalStorageContextManager {
  override active(): Context {
    const scope = scopes.getStore();
    return scope ? contextOf(scope) : ROOT_CONTEXT;
  }

  override with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return scopes.run(scopeWith(context), () => work.apply(thisArg, args));
  }

  override attach(context: Context): { dispose(): void } {
    const before = scopes.getStore();
    scopes.enterWith(scopeWith(context));
    // The type does not say so, but nothing is a valid store.
    return { dispose: () => scopes.enterWith(before as Scope) };
  }
}

/** Returns the context that another user of the API has made active here or further out, if there is one. */
export function foreignContext(): Context | undefined {
  return scopes.getStore()?.foreign as Context | undefined;
}

function contextOf(scope: Scope): Context {
  if (scope.context) return scope.context as Context;
  const outer = (scope.foreign ?? ROOT_CONTEXT) as Context;
  const context = scope.recorded instanceof OwnSpan ? trace.setSpan(outer, scope.recorded) : outer;
  scope.context = context;
  return context;
}

/** Returns the scope of the running code with a context of somebody else. Our own spans beneath it stay where they are. */
function scopeWith(context: Context): Scope {
  const { point = null, inherited = NO_PAIRS, recorded } = scopes.getStore() ?? {};
  return { point, inherited, recorded, foreign: context, context };
}
