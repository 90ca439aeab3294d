/**
 * Imports a module in the folder of peers. It needs the packages that npm installed there, which are not part of the workspace. Rejects if they are
 * not installed.
 */
export async function peerModule<M>(name: string): Promise<M> {
  return (await import(new URL(`../peers/${name}.ts`, import.meta.url).href)) as M;
}
