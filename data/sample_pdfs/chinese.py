"""A short yearly brief in Chinese, in a font that every PDF reader brings."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, PageTemplate, Paragraph, Spacer

from sample_pdfs.page import NOTICE, Sheet, style, table

FONT = "STSong-Light"
NOTICE_CHINESE = "样例文件。所有名称和数字均为虚构。"
TITLE = style("title", FONT, 19, 26, alignment=1, wordWrap="CJK", spaceAfter=4)
BYLINE = style("byline", FONT, 10, 15, alignment=1, wordWrap="CJK", spaceAfter=12)
HEAD = style("head", FONT, 14, 20, spaceBefore=12, spaceAfter=5, wordWrap="CJK")
BODY = style("body", FONT, 10.5, 17.5, firstLineIndent=21, spaceAfter=4, wordWrap="CJK")
CAPTION = style("caption", FONT, 9.5, 14, alignment=1, spaceBefore=6, spaceAfter=4, wordWrap="CJK")
CELL = style("cell", FONT, 9.5, 14, wordWrap="CJK")

ROWS = [
    ["指标", "2022年", "2023年", "2024年"],
    ["岸电泊位（个）", "3", "4", "7"],
    ["接用岸电船舶（艘次）", "198", "287", "412"],
    ["岸电用电量（兆瓦时）", "1,910", "2,740", "3,860"],
    ["平均接驳时间（分钟）", "61", "52", "38"],
    ["减少二氧化碳排放（吨）", "1,060", "1,530", "2,150"],
]


def foot(canvas: Canvas, _: object) -> None:
    """The notice in both languages and the page number."""
    canvas.setFont(FONT, 8.5)
    canvas.drawString(64, 40, f"{NOTICE_CHINESE} {NOTICE}")
    canvas.drawRightString(A4[0] - 64, 40, f"第 {canvas.getPageNumber()} 页")


def prose(*texts: str) -> list[Flowable]:
    """Paragraphs."""
    return [Paragraph(text, BODY) for text in texts]


def story() -> list[Flowable]:
    """The brief in reading order."""
    return [
        Paragraph("松德里港岸电项目2024年度简报", TITLE),
        Paragraph("松德里港务局能源科 2025年2月", BYLINE),
        Paragraph("一、概况", HEAD),
        *prose(
            "松德里港从2021年起在客运码头和杂货码头建设岸电设施。船舶靠港后可以关闭辅机，改用岸上供应的电力，从而减少废气和噪声。"
            "项目由港务局投资，电力由风电场和电网共同供应。项目经理林若澜表示，2024年是项目建成以来使用量最大的一年。",
            "截至2024年底，全港岸电泊位由4个增加到7个，其中3个为高压泊位，电压6.6千伏；其余为低压泊位，电压440伏。"
            "项目累计投资1,280万美元，其中2024年投资460万美元。",
        ),
        Paragraph("二、使用情况", HEAD),
        *prose(
            "2024年共有412艘次船舶接用岸电，比上年增加125艘次。全年岸电用电量为3,860兆瓦时，比上年增长约41%。"
            "用电最多的是客滚船“北鸥号”，全年接电96次，用电量占全港的27%。",
            "接电成功率为96.4%。失败的原因主要是船上插头规格不符，其次是强风下电缆绞车停机。平均接驳时间从52分钟缩短到38分钟，"
            "这主要得益于新的电缆车和对码头工人的培训。",
        ),
        Paragraph("表1 岸电项目主要指标", CAPTION),
        table(ROWS, CELL, [180, 80, 80, 80]),
        Spacer(1, 8),
        Paragraph("三、价格与收入", HEAD),
        *prose(
            "2024年岸电价格为每千瓦时0.19美元，比上年下降0.02美元。渔船和港内工作船享受七折优惠。全年岸电收入约71万美元，"
            "扣除购电和维护费用后，项目仍有约9万美元的亏损，由港口使费补足。预计用电量达到5,000兆瓦时后可以实现收支平衡。",
        ),
        Paragraph("四、环境效益", HEAD),
        *prose(
            "按照船用柴油的排放系数计算，2024年岸电使二氧化碳排放减少2,150吨，氮氧化物排放减少44吨。"
            "夜间码头的噪声平均下降11分贝，附近居民的投诉由上年的35件减少到12件。",
            "港区内的12个LITTORAL监测站同时记录水温。数据显示，岸电本身对水温没有影响；"
            "数据中心海水出口附近的水温变化另有专门报告，本简报不作讨论。",
        ),
        Paragraph("五、存在的问题", HEAD),
        *prose(
            "第一，高压泊位仍然不足。去年有58艘次船舶因泊位被占用而未能接电。第二，两台变频器在夏季高温时需要降低功率运行。"
            "第三，部分外籍船员不熟悉操作程序，港务局已印制中英文两种操作卡片。",
        ),
        Paragraph("六、下一步计划", HEAD),
        *prose(
            "到2026年底，岸电泊位将增加到10个，其中高压泊位5个。从2026年1月1日起，五千总吨以上的船舶靠泊两小时以上必须使用岸电。"
            "港务局还计划在三号码头试用一套容量为2兆瓦时的储能电池，以减轻用电高峰时对电网的压力。",
        ),
    ]  # fmt: skip


def make(path: Path) -> None:
    """Write the brief."""
    pdfmetrics.registerFont(UnicodeCIDFont(FONT))
    sheet = Sheet(path, "松德里港岸电项目2024年度简报", "松德里港务局能源科")
    frame = Frame(64, 64, A4[0] - 128, A4[1] - 128, leftPadding=0, rightPadding=0)
    sheet.addPageTemplates([PageTemplate("page", [frame], onPage=foot)])
    sheet.build(story())
