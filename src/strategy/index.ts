// The door of the room: everything a strategy author may import.

export type {
  ByLeg,
  Capital,
  ExternalFair,
  ExternalSource,
  FairValue,
  Fees,
  Filled,
  Inventory,
  Limits,
  MarketLife,
  OwnQuote,
  PublicTrade,
  QueueEstimate,
  Toxicity,
  TradeDigest,
  TradeFlow,
} from './context.ts';
export { RECENT_TRADES_MAX, WITHOUT_EXPIRY } from './context.ts';
export type {
  AxisBook,
  AxisSide,
  EventContext,
  EventMarket,
  EventStrategy,
  EventTargets,
  MarketStrategy,
  Quote,
  QuoteContext,
  QuotePurpose,
  QuoteReason,
  Strategy,
  Take,
  TargetQuotes,
} from './contract.ts';
export { defineEventStrategy, defineStrategy, QUOTES_MAX, TAKES_MAX } from './contract.ts';
export type { Json } from './memory.ts';
export {
  asMemory,
  MEMORY_CHARS_MAX,
  memoryFault,
  rememberedField,
  rememberedNumber,
  rememberedNumbers,
} from './memory.ts';
export type { ParamApplies, ParamSchema, ParamSpec } from './params.ts';
export { flagParam, numberParam, wholeParam, wordParam } from './params.ts';
export { boundedReasons, boundedText, REASON_CHARS_MAX, REASONS_MAX } from './reasons.ts';
// Estimators: state in, state out.
export type { DecayedMean, DecayedRate, MeanPrior, TimedValue } from './toolkit/estimate/decay.ts';
export {
  decayFactor,
  ewma,
  meanOf,
  newRate,
  ratePerSec,
  secondsBetween,
  withMeanEvent,
  withRateCount,
} from './toolkit/estimate/decay.ts';
export type {
  DepthCounts,
  FillIntensity,
  FitRange,
  RatePoint,
} from './toolkit/estimate/intensity.ts';
export {
  DEPTH_TICKS_MAX,
  fillDecayPerPriceOf,
  fitIntensity,
  fittedIntensity,
  newDepthCounts,
  withDepthReach,
} from './toolkit/estimate/intensity.ts';
export type { KalmanStep, LogitEstimate, LogitObservation } from './toolkit/estimate/kalman.ts';
export {
  agedObservation,
  bookObservation,
  combined as combinedObservation,
  correctedEstimate,
  externalObservation,
  fairValueStep,
  mirroredObservation,
  predictedEstimate,
  repeatedObservation,
  tradeObservation,
} from './toolkit/estimate/kalman.ts';
export type {
  AxisFill,
  MarkoutShape,
  Markouts,
  ToxicityPrior,
} from './toolkit/estimate/markout.ts';
export {
  informedShare,
  markoutOf,
  meanMarkout,
  measured as measuredMarkouts,
  NO_MARKOUTS,
  WAITING_FILLS_MAX,
  withFill as withOwnFill,
} from './toolkit/estimate/markout.ts';
export type { TouchChain } from './toolkit/estimate/micro-price.ts';
export {
  microPriceAdjustments,
  microPriceTicks,
  touchChainOf,
} from './toolkit/estimate/micro-price.ts';
export type { MicroPriceCounts, MicroPriceShape } from './toolkit/estimate/micro-price-counts.ts';
export {
  newMicroPriceCounts,
  touchState,
  withMicroPriceTouch,
} from './toolkit/estimate/micro-price-counts.ts';
export type { QueueModel, QueuePlace } from './toolkit/estimate/queue-position.ts';
export {
  afterLevel as queueAfterLevel,
  afterOwnFill as queueAfterOwnFill,
  afterTrade as queueAfterTrade,
  behindProbability,
  newPlace as newQueuePlace,
} from './toolkit/estimate/queue-position.ts';
export type {
  VarianceRates,
  Variation,
  VariationSampling,
} from './toolkit/estimate/variation.ts';
export {
  bipowerVariation,
  jumpVariation,
  realisedVariance,
  varianceRates,
  withSample as withVariationSample,
} from './toolkit/estimate/variation.ts';
export type { BucketShape, VolumeBuckets } from './toolkit/estimate/vpin.ts';
export {
  BUCKETS_MAX,
  bulkClassified,
  NO_VOLUME,
  vpin,
  withBucketTrade,
  withBucketVolume,
} from './toolkit/estimate/vpin.ts';
export type { Touch } from './toolkit/estimate/weighted-mid.ts';
export {
  fairTicks,
  isTouchMeaningful,
  LEAN_TICKS_MAX,
  sizeImbalance,
  touchOf,
  weightedMid,
} from './toolkit/estimate/weighted-mid.ts';
// Rules of thumb that others run.
export type { AmmLevel, AmmShape, AmmToken } from './toolkit/heuristic/amm-curve.ts';
export {
  ammAsks,
  ammBestBidPerUsd,
  ammBids,
  ammCollateralOfA,
} from './toolkit/heuristic/amm-curve.ts';
export type {
  Band,
  BandBudget,
  BandOrder,
  BandPlacement,
  BandPlan,
} from './toolkit/heuristic/bands.ts';
export {
  bandPlacements,
  bandsFault,
  excessOrders,
  isInBand,
  usableBands,
} from './toolkit/heuristic/bands.ts';
export type { ScoredOrder } from './toolkit/heuristic/reward-score.ts';
export { rewardOfMarket, rewardOfSide, rewardPerShare } from './toolkit/heuristic/reward-score.ts';
export type { Portfolio, ScaledAvellaneda } from './toolkit/heuristic/scaled-avellaneda.ts';
export {
  inventoryDeviation,
  inventoryMultipliers,
  levelDistance,
  SAMPLES_MAX,
  sampledVolatility,
  scaledAvellaneda,
  shapedSize,
  withPriceSample,
} from './toolkit/heuristic/scaled-avellaneda.ts';
export type { SkewedTouch } from './toolkit/heuristic/touch.ts';
export {
  bestLevelOf,
  improvedTouch,
  pricePastDust,
  skewedTouch,
} from './toolkit/heuristic/touch.ts';
// Log-odds.
export {
  exclusiveLogOdds,
  logit,
  logitWidth,
  PROBABILITY_MIN,
  sigmoid,
  sigmoidCurvature,
  sigmoidSlope,
} from './toolkit/log-odds.ts';
// Models: what to quote, given what is believed.
export type {
  AvellanedaStoikov,
  EndlessAvellanedaStoikov,
  ModelQuotes,
  ReservationPrices,
} from './toolkit/model/avellaneda-stoikov.ts';
export {
  avellanedaStoikov,
  endlessAvellanedaStoikov,
  printedEndlessAsk,
  riskAverseMargin,
} from './toolkit/model/avellaneda-stoikov.ts';
export type { BeliefMoments, BeliefStep, ExclusiveBeliefStep } from './toolkit/model/belief.ts';
export {
  beliefAfter,
  beliefMoments,
  exclusiveBeliefsAfter,
  probabilityAfter,
} from './toolkit/model/belief.ts';
export type { RiskyHolding } from './toolkit/model/cara-binary.ts';
export {
  caraAsk,
  caraBid,
  caraMarginalPrice,
  certaintyEquivalentUsd,
  riskScaleShares,
  skewedLogit,
  worstCaseCaps,
} from './toolkit/model/cara-binary.ts';
export type { PenaltyModel } from './toolkit/model/cartea-jaimungal.ts';
export { carteaJaimungalDistances } from './toolkit/model/cartea-jaimungal.ts';
export type { BoundedFillModel, FillModel, LotFillModel } from './toolkit/model/glft.ts';
export { exactGlftDistances, glftByLot, glftDistances } from './toolkit/model/glft.ts';
export {
  effectiveInformedShare,
  glostenMilgromQuotes,
  INFORMED_SHARE_MAX,
  informedLogitStep,
  informedShareOfLoss,
} from './toolkit/model/glosten-milgrom.ts';
export type { QuoteDistances } from './toolkit/model/inventory-table.ts';
export { distancesAt, LOTS_MAX } from './toolkit/model/inventory-table.ts';
export type { SoldShares } from './toolkit/model/lmsr.ts';
export {
  lmsrCostUsd,
  lmsrLossMaxUsd,
  lmsrPrices,
  lmsrTradeCostUsd,
  lsLmsrCostUsd,
  lsLmsrGrowth,
  lsLmsrPrices,
} from './toolkit/model/lmsr.ts';
export type {
  LogitAvellanedaStoikov,
  LogitDiffusion,
  LogitJump,
  LogitQuotes,
} from './toolkit/model/logit-diffusion.ts';
export {
  logitAvellanedaStoikov,
  logitDriftPerSec,
  relayedMargin,
} from './toolkit/model/logit-diffusion.ts';
export type { QueueRates, QueueStakes, RequoteChoice } from './toolkit/model/queue-value.ts';
export {
  isMoveWorth,
  LOTS_AHEAD_MAX,
  queueFillProbability,
  queueValuePrice,
} from './toolkit/model/queue-value.ts';
export type { StaleRisk } from './toolkit/model/stale-quote.ts';
export { staleFloorExponentialJump, staleFloorFixedJump } from './toolkit/model/stale-quote.ts';
export { varianceFraction, varianceFractionSmall } from './toolkit/model/variance-fraction.ts';
// Numbers that models share.
export { clamped } from './toolkit/numeric/domain.ts';
export { lambertW, logSumExp, normalCdf, softmax } from './toolkit/numeric/special.ts';
// Quotes: from a price to a tick, a quantity, a level.
export type { BestPrices, PostOnlyRange, PostOnlyView } from './toolkit/post-only.ts';
export { postOnlyRange, postOnlyTicks } from './toolkit/post-only.ts';
export type { Middle, SidePlan } from './toolkit/quotes.ts';
export { joined, middleOf, noQuotes, sideQuotes } from './toolkit/quotes.ts';
export { restored } from './toolkit/restored.ts';
export type { WantedPrice } from './toolkit/rounding.ts';
export {
  quoteTicks,
  ticksAbove,
  ticksAtOrAbove,
  ticksAtOrBelow,
  ticksBelow,
} from './toolkit/rounding.ts';
export type { WantedQuantity } from './toolkit/sizing.ts';
export { quantityMin, quantityMinOfEitherLeg, quotedQuantity } from './toolkit/sizing.ts';
