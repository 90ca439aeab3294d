import type { Json } from "@toolbus/contracts";
import type { Brain } from "../model-server.ts";
import type { Arrived, Plain, Protocol, Reply } from "../wire/protocol.ts";
import { firstRefusal, refusalText } from "../wire/rule.ts";
import { turnOf } from "../wire/turn.ts";
import { converseOutput, converseStream, REQUEST_ID } from "./bedrock-answer.ts";
import { askedOfBedrock, bedrockAsk } from "./bedrock-ask.ts";
import { bedrockException } from "./bedrock-error.ts";
import { BEDROCK_MODEL, BEDROCK_SECRET, bedrockRules } from "./bedrock-rules.ts";

/** Returns the protocol of Bedrock's Converse and ConverseStream, with one of Anthropic's models behind them. */
export function bedrockProtocol(): Protocol {
  return { key: BEDROCK_SECRET, model: BEDROCK_MODEL, base: "", failure, answer };
}

function answer(request: Arrived, brain: Brain): Reply {
  const ask = bedrockAsk(request);
  const refusal = firstRefusal(bedrockRules, ask);
  if (refusal) {
    const { status, message, code } = refusal;
    return { ...exception(status, code ?? bedrockException(status, message).type, message), refusal: refusalText(refusal) };
  }
  const asked = askedOfBedrock(ask);
  const turn = turnOf(brain(asked), asked, request.text, (digest) => `tooluse_${digest.slice(0, 22)}`);
  if (ask.operation === "converse-stream") return converseStream(turn, asked.model);
  const output = converseOutput(turn, asked.model);
  const { stopReason: _stop, ...unended } = output;
  return { ...plain(output), unended };
}

function failure(status: number, message: string): Plain {
  return exception(status, bedrockException(status, message).type, message);
}

function exception(status: number, type: string, message: string): Plain {
  return {
    ...plain({ message }),
    status,
    headers: { "x-amzn-requestid": REQUEST_ID, "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  };
}

function plain(body: Json): Plain {
  return { kind: "plain", status: 200, headers: { "x-amzn-requestid": REQUEST_ID }, body };
}
