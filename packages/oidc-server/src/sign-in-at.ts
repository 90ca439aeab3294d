/** What a person does at the provider. */
export interface AtProvider {
  /** The account to sign in with. Absent if the person cancels. */
  readonly login?: string;
}

/**
 * Follows the address to which a client sent a person, signs in at the provider, and returns the address to which the provider sends the person back.
 * Keeps the provider's cookies as a browser does, and opens no address of the client.
 */
export async function signInAt(address: string, { login }: AtProvider): Promise<string> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(address);
  let next = new URL(address);
  let form: URLSearchParams | null = null;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const answer: Response = await fetch(next, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form === null ? {} : { method: "POST", body: form }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const text = await answer.text();
    const location = answer.headers.get("location");
    if (location === null && answer.status !== 200) throw new Error(`The provider answered ${answer.status}: ${text}`);
    form = location === null ? new URLSearchParams(login === undefined ? { cancel: "yes" } : { login }) : null;
    if (location !== null) next = new URL(location, next);
    if (next.origin !== origin) return next.href;
  }
  throw new Error("The provider sent nobody back.");
}

const MOST_STEPS = 10;
