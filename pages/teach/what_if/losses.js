// The losses of backend/teach/losses on one quad, with their gradients by hand; a test holds both against torch.
// A quad is four raw scores [s11, s12, s21, s22]: image i with caption j, image i belongs to caption i. how: kind "itc"
// (cosine, logits are scale x cosine) or "itm" (log-odds, which are logits), scale, norm, alpha, beta, margin, together.
// A loss gives [value, [∂/∂s11, ∂/∂s12, ∂/∂s21, ∂/∂s22]].

export const LOSSES = ["retrieval", "v1", "v2", "both", "negatives", "binding"];

// s = μ ± r ± c ± γ, a pattern of signs each: the four are orthogonal, so a gradient splits into theirs.
export const PATTERNS = { mu: [1, 1, 1, 1], gamma: [1, -1, -1, 1], c: [1, -1, 1, -1], r: [1, 1, -1, -1] };
export const PARTS = Object.keys(PATTERNS);

const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);

// Binding γ, caption bias c, image bias r and mean μ of a quad.
export function partsOf(s) {
  return Object.fromEntries(PARTS.map((name) => [name, dot(PATTERNS[name], s) / 4]));
}

// The quad of such parts.
export function quadOf(parts) {
  return [0, 1, 2, 3].map((k) => PARTS.reduce((sum, name) => sum + parts[name] * PATTERNS[name][k], 0));
}

// ∂L/∂μ, ∂L/∂γ, ∂L/∂c, ∂L/∂r from ∂L/∂s, by the chain rule.
export function inParts(gradient) {
  return Object.fromEntries(PARTS.map((name) => [name, dot(PATTERNS[name], gradient)]));
}

export const softplus = (x) => (x > 0 ? x : 0) + Math.log1p(Math.exp(-Math.abs(x)));
export const sigmoid = (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));

const logitScale = (how) => (how.kind === "itc" ? how.scale : 1);

// The mean of softplus(other - own) over pairs of places [own, other] of the logits.
function beaten(s, how, pairs) {
  const scale = logitScale(how);
  const gradient = [0, 0, 0, 0];
  let value = 0;
  for (const [own, other] of pairs) {
    const gap = scale * (s[other] - s[own]);
    value += softplus(gap) / pairs.length;
    const slope = (scale * sigmoid(gap)) / pairs.length;
    gradient[own] -= slope;
    gradient[other] += slope;
  }
  return [value, gradient];
}

const ROWS = [[0, 1], [3, 2]];
const COLUMNS = [[0, 2], [3, 1]];

// retrieval.contrastive of a batch of the quad's two pairs; retrieval.matching of the same for a matching head.
function retrieval(s, how) {
  if (how.kind === "itc") return beaten(s, how, [...ROWS, ...COLUMNS]);
  const signs = [-1, 1, 1, -1]; // yes to the two true pairs, no to the others
  return [
    signs.reduce((sum, sign, k) => sum + softplus(sign * s[k]) / 4, 0),
    signs.map((sign, k) => (sign * sigmoid(sign * s[k])) / 4),
  ];
}

// svlc.negatives, each image's negative being the other caption.
const negatives = (s, how) => beaten(s, how, ROWS);

// eqsim.normalised, and how a gradient in it goes back to the raw scores.
export function normalised(s, how) {
  const scale = logitScale(how);
  const logits = s.map((value) => scale * value);
  if (how.norm === "sigmoid") {
    const p = logits.map(sigmoid);
    return [p, (g) => g.map((value, k) => scale * value * p[k] * sigmoid(-logits[k]))];
  }
  if (how.norm === "batch") {
    const most = Math.max(...logits);
    const weights = logits.map((value) => Math.exp(value - most));
    const total = weights[0] + weights[1] + weights[2] + weights[3];
    const p = weights.map((value) => value / total);
    return [p, (g) => g.map((value, k) => scale * p[k] * (value - dot(g, p)))];
  }
  return [logits, (g) => g.map((value) => scale * value)];
}

// eqsim.equivariance: the hinge [(difference)² - α]₊ of each condition, summed. The signs are the differences': v1 is
// s12 - s21, v2 is 4c on the text side and 4r on the image side.
function eqsim(s, how, conditions) {
  const [p, back] = normalised(s, how);
  const gradient = [0, 0, 0, 0];
  let value = 0;
  for (const signs of conditions) {
    const gap = dot(signs, p);
    const cost = gap * gap - how.alpha;
    if (!(cost > 0)) continue;
    value += cost;
    signs.forEach((sign, k) => (gradient[k] += 2 * gap * sign));
  }
  return [value, back(gradient)];
}

const V1 = [[0, 1, -1, 0]];
const V2 = [PATTERNS.c, PATTERNS.r];

// binding.binding: [max(|c|, |r|) - γ + m]₊ on raw scores; where |c| = |r| each has half of the slope, as in torch.
function binding(s, how) {
  const { gamma, c, r } = partsOf(s);
  const [far, near] = [Math.abs(c), Math.abs(r)];
  const value = Math.max(far, near) - gamma + how.margin;
  if (!(value > 0)) return [0, [0, 0, 0, 0]];
  const share = far > near ? 1 : far < near ? 0 : 0.5;
  const [ofC, ofR] = [share * Math.sign(c), (1 - share) * Math.sign(r)];
  return [value, [0, 1, 2, 3].map((k) => (ofC * PATTERNS.c[k] + ofR * PATTERNS.r[k] - PATTERNS.gamma[k]) / 4)];
}

const TERMS = {
  retrieval,
  v1: (s, how) => eqsim(s, how, V1),
  v2: (s, how) => eqsim(s, how, V2),
  both: (s, how) => eqsim(s, how, [...V1, ...V2]),
  negatives,
  binding,
};

// One loss alone, or, where how.together, added to the retrieval loss with its recipe's weight.
export function lossOf(name, s, how) {
  const [value, gradient] = TERMS[name](s, how);
  if (!how.together || name === "retrieval") return [value, gradient];
  const [first, slope] = retrieval(s, how);
  const weight = name in { v1: 0, v2: 0, both: 0 } ? how.beta : 1;
  return [first + weight * value, slope.map((each, k) => each + weight * gradient[k])];
}
