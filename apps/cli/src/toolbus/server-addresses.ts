/** What is wrong with a broker address given for `name`, in one sentence; null if it is right. The address is not repeated: it may hold a password. */
export function brokerFault(name: string, address: string): string | null {
  return /^(amqps?|nats|tls):\/\/./.test(address) && URL.canParse(address)
    ? null
    : `${name} needs the address of RabbitMQ or NATS, which begins with amqp://, amqps://, nats:// or tls://.`;
}

/** The same for the address of a store that several processes share. */
export function storeFault(name: string, address: string): string | null {
  return /^rediss?:\/\/./.test(address) && URL.canParse(address)
    ? null
    : `${name} needs the address of Redis, which begins with redis:// or rediss://.`;
}
