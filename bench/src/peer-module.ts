/** A module in the folder of peers: it stands on what npm installed there, which is no part of the workspace. Rejects when that is not installed. */
export async function peerModule<M>(name: string): Promise<M> {
  return (await import(new URL(`../peers/${name}.ts`, import.meta.url).href)) as M;
}
