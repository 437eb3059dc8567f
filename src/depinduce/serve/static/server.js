// Questions to the server. What goes wrong is an Error that says it in words.

export async function ask(action, request) {
  return answerTo(`/api/${action}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
}

export async function listModels() {
  return answerTo("/api/models", {});
}

async function answerTo(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. Is `depinduce serve` still running?");
  }
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Error(`The server gave no proper answer (${response.status}).`);
  }
  if (!response.ok) throw new Error(answer.error || `The server refused this (${response.status}).`);
  return answer;
}

/** Runs one question at a time: an answer that is no longer wanted, as another was asked since, is undefined. */
export function latest(question) {
  let turn = 0;
  return async (...given) => {
    const mine = ++turn;
    try {
      const answer = await question(...given);
      return mine === turn ? answer : undefined;
    } catch (error) {
      if (mine === turn) throw error;
      return undefined;
    }
  };
}
