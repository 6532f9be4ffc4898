/** Every limit of the service; those of the interface are in `src/contract/limits.ts`. */
export const limits = {
  bodyBytesMax: 64 * 1024,
  /** The part of a body that is too long that is read and discarded before the answer. */
  drain: { bytesMax: 32 * 1024 * 1024, msMax: 5_000 },
  /** `JSON.parse` accepts any depth, but `JSON.stringify` must not be given too much of it. */
  bodyDepthMax: 64,
  headerBytesMax: 16 * 1024,
  /** Size from which a reply is compressed and has an ETag. */
  shrunkBytesMin: 1024,
  /** As long as a request line may be, so that the route refuses a long id, not the router. */
  paramCharsMax: 16 * 1024,

  /** A request that arrives slowly is dropped after these times, or up to one check later. */
  headersMsMax: 15_000,
  requestMsMax: 20_000,
  idleSocketMsMax: 30_000,
  socketCheckMs: 5_000,
  /** Time for which a socket stays open after its refusal was sent. */
  lingerMs: 1_000,
  /** Time that requests in flight get to end when the service closes. */
  closeGraceMs: 2_000,

  /** Longest time that research blocks the thread: shorter while requests arrive, longer after a quiet period. */
  sliceMsWhileBusy: 2,
  sliceMsWhileQuiet: 10,
  quietAfterMs: 50,
  /** A group of results is gathered for about as long as the last one took to store, but at most this. */
  researchMsBetweenCommitsMax: 20,
  runsPerSliceMax: 64,
  /** Runs that are matched in other threads at once. The next run of another account waits for all of them. */
  runsInFlightMax: 64,
  /** Delay after results could not be stored, for example on a full disk. */
  researchRetryMs: 1_000,
  researchIdleMsMax: 60_000,
  /** Total size of the answers in memory for later queries; each lives as long as a record. */
  cachedAnswerCharsMax: 16 * 1024 * 1024,

  /** Builds that use the network at once, and other builds in one slice. */
  buildsInFlightMax: 16,
  buildsPerSliceMax: 64,
  /** Age at which a read starts a failed build again, and age at which it refreshes a record. */
  buildRetryMs: 60_000,
  recordMsMax: 24 * 3_600_000,

  /** Limits for a visit to a website: total time, redirects, and bytes read of a page. */
  websiteMsMax: 10_000,
  websiteRedirectsMax: 5,
  websiteBodyBytesMax: 64 * 1024,
  /** Size of the lists of domains, which are kept in memory. */
  domainListLinesMax: 5_000_000,
  domainListLineCharsMax: 1_000,

  /** Longest time that a poll from this process waits for the end of its run or build. */
  heldPollMsMax: 5_000,

  /** Streams that one key may hold open at once. */
  streamsPerKeyMax: 10,
  /** Time for which a stream is held in addition to the longest research. */
  streamGraceMs: 600_000,
  /** Idle time of a held socket before TCP checks its peer. */
  heldSocketProbeMs: 30_000,

  /** The newest reports of an account are kept, older ones deleted. */
  reportsPerAccountMax: 1_000,

  /** Total time for the name lookup of a receiver during a kickoff. */
  resolveMsMax: 5_000,
  /** Deliveries in flight: in total, per account, per account and host, and per account and address. */
  deliveriesMax: 256,
  deliveriesPerAccountMax: 128,
  deliveriesPerHostMax: 64,
  deliveriesPerLaneMax: 16,
  deliveryIdleMsMax: 60_000,
  /** Delay after the end of a delivery could not be stored. */
  deliveryRetryMs: 1_000,

  /** The reconciliation service. A batch is sent as a form, which takes up to three bytes for each byte of text. */
  reconciliation: {
    bodyBytesMax: 1024 * 1024,
    batchQueriesMax: 50,
    /** Queries of one batch that are answered at once. */
    queriesInFlightMax: 8,
    propertiesMax: 50,
    valuesMax: 50,
    typesMax: 20,
    candidatesByDefault: 5,
    candidatesMax: 10,
    extendedIdsMax: 200,
    prefixCharsMax: 500,
    suggestionsPerPage: 10,
    /** Most suggestions that a client can page through. */
    suggestionsMax: 100,
    requestsPerMinute: 600,
  },

  /** Connections of each replica to the shared database. */
  connectionsMax: 8,
  /** Duration of a replica's claim that is not renewed, and interval at which it looks for more. */
  claimMs: 15_000,
  claimLookMs: 1_000,
  /** Interval at which a replica reads the served edition, and time for which a read is valid. */
  editionLookMs: 1_000,
  editionLifeMs: 5_000,
  /** Interval at which a replica looks for runs of its streams that other replicas have ended. */
  endsLookMs: 500,
  /** Time after which a revoked key or a changed account takes effect at the latest. */
  callerLifeMs: 1_000,
  callersKeptMax: 10_000,
  /** Time that a kickoff waits to learn whether it was stored, after its connection broke. */
  kickoffUnknownMsMax: 10_000,
  /** Shortest interval between counts of ended runs, for the metrics. */
  countLifeMs: 15_000,

  /** The service blocks its only thread while it waits; a command next to it can wait longer. */
  databaseBusyMs: 1_000,
  databaseBesideBusyMs: 5_000,
  /** As many as our receivers accept. */
  secretsPerAccountMax: 10,
  keysPerAccountMax: 100,
} as const
