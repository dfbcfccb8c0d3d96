// @ts-check
/**
 * Of Hopcount's own processes, as in the Dockerfile. The young heap that V8 takes without it costs a gateway 70 MB and
 * gains nothing that can be measured (BENCHMARKS.md, "Where the memory goes"). kafkajs sets a timer in the past on its
 * first request, which Node 26 warns about and treats as one millisecond.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8', '--disable-warning=TimeoutNegativeWarning'];
