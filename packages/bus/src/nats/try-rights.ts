import { errors, type NatsConnection } from "@nats-io/transport-node";
import { topics, type TopicRights, type TriedRight } from "@toolbus/contracts";
import type { NatsSettings } from "./nats-url.ts";
import { natsStreams } from "./rights.ts";
import { dialled } from "./set-up.ts";
import { broadcastSubject, inboxPrefix, placeOf } from "./topology.ts";

/**
 * Tries every action on the servers with the login of a URL, in the URL's namespace. All queues of `everything` must exist there. Their content may
 * be lost. `others` are the users whose replies this login must not read. Rejects with `BusUnavailable` if no server answers.
 */
export async function tryNatsRights(
  settings: NatsSettings,
  rights: TopicRights,
  everything: { readonly queues: readonly string[]; readonly broadcasts: readonly string[]; readonly others: readonly string[] },
): Promise<readonly TriedRight[]> {
  const { namespace, login } = settings;
  const { publishes, consumes, announces, listens } = rights;
  const { nc } = await dialled(settings);
  const refused = new Set<string>();
  const own = inboxPrefix(namespace, login.kind === "password" ? login.user : "all");
  const tried: TriedRight[] = [];
  try {
    void watch(nc, refused);
    const held = [...everything.queues, ...everything.queues.map((topic) => topics.dead(topic))];
    for (const topic of held) {
      const { subject, stream, durable } = placeOf(namespace, topic);
      const isOwn = consumes.includes(topic);
      const isDeadOfOwn = consumes.some((each) => topics.dead(each) === topic);
      await publish(`publish ${topic}`, subject, publishes.includes(topic) || isDeadOfOwn);
      await publish(`take from ${topic}`, `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, isOwn);
      await publish(`settle deliveries of ${topic}`, `$JS.ACK.${stream}.${durable}.1.1.1.1.1`, isOwn);
      await publish(`make a consumer of ${topic}`, `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject}`, false);
      await publish(`make a consumer of ${topic} by its older name`, `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`, false);
      await publish(`delete the consumer of ${topic}`, `$JS.API.CONSUMER.DELETE.${stream}.${durable}`, false);
      await subscribe(`read along on ${topic}`, subject, false);
    }
    for (const topic of everything.broadcasts) {
      const subject = broadcastSubject(namespace, topic);
      await publish(`announce ${topic}`, subject, announces.includes(topic));
      await subscribe(`listen to ${topic}`, subject, listens.includes(topic));
    }
    for (const { name } of natsStreams(namespace, settings)) {
      for (const verb of ["CREATE", "UPDATE", "DELETE", "PURGE", "SNAPSHOT", "RESTORE", "MSG.GET", "MSG.DELETE"])
        await publish(`${verb} the stream ${name}`, `$JS.API.STREAM.${verb}.${name}`, false);
      await publish(`read the stream ${name} directly`, `$JS.API.DIRECT.GET.${name}`, false);
      await publish(`make a consumer of the stream ${name}`, `$JS.API.CONSUMER.CREATE.${name}`, false);
    }
    for (const what of ["$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$SYS.REQ.USER.INFO", "$SYS.REQ.SERVER.PING"])
      await publish(`ask ${what}`, what, false);
    await subscribe("hear its own replies", `${own}.check`, true);
    for (const other of everything.others) {
      const inbox = inboxPrefix(namespace, other);
      await subscribe(`hear replies to ${other}`, `${inbox}.>`, false);
      await publish(`reply to ${other}`, `${inbox}.check`, false);
    }
    for (const subject of [">", "_INBOX.>", `${namespace}.>`, "$JS.>", "$SYS.>"])
      await subscribe(`subscribe to ${subject}`, subject, false);
    await publish("publish to a subject of nobody", "permissions.check", false);
  } finally {
    await nc.close();
  }
  return tried;

  async function publish(what: string, subject: string, isAllowed: boolean): Promise<void> {
    nc.publish(subject, "");
    await judge(what, `publish ${subject}`, isAllowed);
  }

  async function subscribe(what: string, subject: string, isAllowed: boolean): Promise<void> {
    const subscription = nc.subscribe(subject, { callback: () => undefined });
    await judge(what, `subscription ${subject}`, isAllowed);
    if (!subscription.isClosed()) subscription.unsubscribe();
  }

  /** Waits for the server's verdict and records it. A server reports a refusal before it answers a later ping. */
  async function judge(what: string, asked: string, isAllowed: boolean): Promise<void> {
    await nc.flush();
    // The client reports the refusal in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    tried.push({ what, expected: isAllowed ? "allowed" : "refused", found: refused.delete(asked) ? "refused" : "allowed" });
  }
}

async function watch(nc: NatsConnection, refused: Set<string>): Promise<void> {
  for await (const status of nc.status())
    if (status.type === "error" && status.error instanceof errors.PermissionViolationError)
      refused.add(`${status.error.operation} ${status.error.subject}`);
}
