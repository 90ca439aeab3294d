/**
 * Imports a module in bench/peers. The module needs packages that npm installs there, and that are not part of the workspace. Rejects if these
 * packages are not installed.
 */
export async function peerModule<M>(name: string): Promise<M> {
  return (await import(new URL(`../peers/${name}.ts`, import.meta.url).href)) as M;
}
