"""The part of a report that shows how trees came to be: a sentence, its tree and its rules, and a slider.

Without a script, and on paper, there are the first and the last tree of a sentence, one below the other.
"""

from __future__ import annotations

from depinduce.insight.texts import number_text
from depinduce.report.html_page import text
from depinduce.report.run_report.elements import Bar, Section, paragraph, side_by_side, table
from depinduce.report.run_report.round_facts import RoundFacts, Step
from depinduce.report.svg_tree import legend
from depinduce.report.tree_page import tree_legend

STYLE = """
.slider{display:none;flex-wrap:wrap;gap:6px 14px;align-items:center;margin:2px 0 8px}
.slider input{flex:1 1 220px;max-width:520px;accent-color:var(--blue)}
.slider button{min-width:64px;padding:4px 12px;border:1px solid var(--line);border-radius:8px;background:var(--track);
color:inherit;font:inherit;font-size:13.5px;cursor:pointer}
.slider output{min-width:18ch;font-variant-numeric:tabular-nums}
.step{display:none;min-width:0}
.step:first-child,.step:last-child{display:block}
.step-title{font-weight:550;margin:10px 0 4px}
@media screen{
.live .slider{display:flex}
.live .steps{display:grid}
.live .step{display:block;grid-area:1/1;visibility:hidden}
.live .step.now{visibility:visible}
.live .step-title{display:none}
}
@media print{.growth{break-inside:auto}.step{break-inside:avoid}}
"""

SCRIPT = """<script>
document.querySelectorAll(".growth").forEach(one=>{
const steps=[...one.querySelectorAll(".step")],slider=one.querySelector("input"),button=one.querySelector("button"),
output=one.querySelector("output");let clock=0;
const show=()=>{steps.forEach((step,number)=>step.classList.toggle("now",number===+slider.value));
output.textContent=steps[+slider.value].dataset.title;slider.setAttribute("aria-valuetext",output.textContent)};
const halt=()=>{clearInterval(clock);clock=0;button.textContent="Play"};
const go=()=>{slider.value=+slider.value+1;show();if(+slider.value>=steps.length-1)halt()};
slider.addEventListener("input",()=>{halt();show()});
button.addEventListener("click",()=>{if(clock)return halt();if(+slider.value>=steps.length-1){slider.value=0;show()}
button.textContent="Stop";clock=setInterval(go,900)});
one.classList.add("live");show()})
</script>
"""


def rounds_section(rounds: RoundFacts) -> Section:
    """The sentences one below the other, each with a slider of its own."""
    lead = (
        "What the grammar would have said after every round of its training. The number behind a rule is its "
        "probability at that time: rules that explain the text grow, others shrink, and where one overtakes another "
        "the tree changes."
    )
    content = [paragraph(lead)]
    if rounds.shown < rounds.kept:
        content.append(paragraph(f"Shown are {rounds.shown} of {rounds.kept} rounds, most of them early ones.", "note"))
    if not rounds.sentences:
        note = "Name a file with short sentences for this, with --gold or with --sentences."
        content = [paragraph(f"The grammars of {rounds.kept} rounds were kept. {note}", "note")]
    elif rounds.sentences[0][0].picture.gold is not None:
        chosen = "These are the short sentences that won the most right heads; others won fewer, or lost some."
        content.append(paragraph(chosen, "note"))
        content.append(tree_legend(legend(gold=True, posteriors=False)))
    else:
        content.append(paragraph("These are the short sentences whose tree changed the most often.", "note"))
    content += [_growth(steps) for steps in rounds.sentences]
    return Section("rounds", "How the trees came to be", "Round by round", content)


def _growth(steps: list[Step]) -> str:
    """One sentence through all rounds."""
    name = f"Round of the training, for sentence {steps[0].picture.number}"
    last = len(steps) - 1
    slider = (
        '<div class="slider"><button type="button">Play</button>'
        f'<input type="range" min="0" max="{last}" step="1" value="{last}" aria-label="{text(name)}"><output></output>'
        "</div>"
    )
    sentence = " ".join(steps[0].picture.words)
    caption = f"<figcaption>Sentence {steps[0].picture.number}: {text(sentence)}</figcaption>"
    return f'<figure class="growth">{caption}{slider}<div class="steps">{"".join(map(_step, steps))}</div></figure>'


def _step(step: Step) -> str:
    picture, title = step.picture, step.title
    if picture.gold is not None:
        title += f": {picture.right} of {picture.scored} heads right"
    rows = [[rule.word, rule.text, Bar(number_text(rule.probability), rule.probability)] for rule in step.rules]
    weight = f"log p = {step.log_probability:.2f}".replace("-", "\N{MINUS SIGN}").replace(" ", "\N{NO-BREAK SPACE}")
    caption = f"Sentence {picture.number}, {step.title}: what gave each word its head; {weight}"
    rules = table(["word", "rule", "probability"], rows, caption, "words")
    content = side_by_side([f'<div class="scroll">{picture.svg(alone=False)}</div>', rules])
    return f'<div class="step" data-title="{text(title)}"><p class="step-title">{text(title)}</p>{content}</div>'
