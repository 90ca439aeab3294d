import { MCP_TOOLSET, queuesOf, rightsOf, type ServiceRights, topics } from "@toolbus/contracts";
import { markdownTable } from "../markdown-table.ts";
import { namesOf, PARTS } from "./services.ts";

/**
 * Returns a table of the topics, made from the table of rights. Each row has the services that may publish to the topic and the services that consume
 * it.
 */
export function topicTable(): string {
  const all = rightsOf(PARTS);
  const queues = queuesOf(PARTS);
  // A replay publishes a message again, so operations may publish to every queue. A sentence of the page says this, and the table leaves it out.
  const senders = all.filter(({ topics: { publishes } }) => !queues.every((queue) => publishes.includes(queue)));
  // The worker of the MCP bridge has two broadcasts that other workers do not have.
  const bridge = rightsOf({ ...PARTS, toolsets: [MCP_TOOLSET] });
  const broadcasts = [...new Set(bridge.flatMap(({ topics: { announces, listens } }) => [...announces, ...listens]))];
  const dead = queues.map(topics.dead);
  return markdownTable(
    ["Topic", "Kind", "From", "To"],
    [
      ...queues.map((topic) => row(topic, "queue", who(senders, "publishes", topic), who(all, "consumes", topic))),
      row(
        topics.dead("<queue>"),
        "queue",
        "the queue's consumer",
        namesOf(all.filter(({ topics: { consumes } }) => dead.every((topic) => consumes.includes(topic)))),
      ),
      ...broadcasts.map((topic) => row(topic, "broadcast", whoOf("announces", topic), whoOf("listens", topic))),
    ],
  );

  function whoOf(does: "announces" | "listens", topic: string): string {
    return who(all, does, topic) || who(bridge, does, topic);
  }
}

function row(topic: string, kind: string, from: string, to: string): readonly string[] {
  return [`\`${topic}\``, kind, from, to];
}

function who(services: readonly ServiceRights[], does: keyof ServiceRights["topics"], topic: string): string {
  const found = services.filter(({ topics: rights }) => rights[does].includes(topic));
  return found.length === services.length ? "every service" : namesOf(found);
}
