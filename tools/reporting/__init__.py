"""The page that tools/report makes of serial logs.

results   what one boot measured: results with their tasks, machine, conditions, what went wrong
theory    what an ideal machine of that shape would measure
words     the experiments in plain English, and the article's figures
findings  sentences, chosen by the measured values
svg       drawings that can stand inside a page
charts    the charts that every experiment gets
special   the charts of single experiments
timeline  what ran where and when
page      all of it put together, by page.html.j2
"""
