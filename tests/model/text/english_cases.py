"""Sentences of this project, grouped by the expected result of `model.text.english`."""

ENGLISH = (
    "The animal didn't cross the street because it was too tired.",
    "We have been waiting for the bus since half past seven.",
    "Nobody knew where the old map had come from.",
    "Could you pass me the salt, please?",
    "If it rains tomorrow, the match will be put off.",
    "My grandmother's recipe needs two cups of flour.",
    "He spoke so quietly that no one understood him.",
    "I WANT TO BUY A CAR AND DRIVE TO THE SEA.",
    "the committee postponed its decision until further notice",
    "Attention is all you need.",
    "Stochastic gradient descent converges under mild assumptions.",
    "You shouldn't've said that, y'know.",
    "Although I did not get 95 in last TOEFL, I could get in the Ph.D program.",
)
# Too short, or no language: no sign.
SHORT = (
    "Hi",
    "OK",
    "Tom",
    "Yes.",
    "No!",
    "lol",
    "123",
    "3.14159",
    "?",
    "...",
    "😀",
    "😀🚀 ❤\ufe0f",
    "١٢٣",  # Arabic digits
    "π",
    "10 Ω",
    "α + β = γ",
    "5 µm",
    "ha ha ha ha ha ha ha ha",
    "blah blah blah blah blah",
    "São Paulo",
    "Marie Curie",
    "Leonardo da Vinci",
    "Antoine de Saint-Exupéry",
    "Rio de Janeiro",
    "Champs-Élysées",
    "crème brûlée",
    "café",
    "naïve",
    "asdf",
    "zzzzzzzzzzzzzzzzzzzz",
    "https://www.example.com/la/vie/est/belle.html",
    "tom@example.com",
    "def main():",
    "for i in range(10): print(i)",
    'print("hello world")',
    "SELECT name FROM users WHERE id = 1",
    "x = y + 1",
    "Ｈｅｌｌｏ",  # Latin letters of full width
)
# English with something else in it: no sign while most of it is English.
MIXED = (
    "I ate 김치 for dinner.",
    "What does 안녕 mean?",
    "She lives in 北京 now.",
    "My friend Наташа bakes bread.",
    "The letter א is the first one.",
    "Let α, β and γ be the angles of a triangle.",
    "I am so happy today 😀😀😀",
    "We met at a café in São Paulo.",
    "That is a naïve question.",
    "How do you say merci beaucoup in English?",
    "The film Les Misérables made her cry.",
    "He read the document at https://example.com/le/chat.html again.",
)
# Mostly not English, with some English in it.
MOSTLY_OTHER = (
    "저는 student 입니다.",
    "私はstudentです。",
    "这是我昨天买的书和pen。",
    "Я люблю rock and roll, а ты нет.",
    "Tom, je ne veux pas y aller avec toi demain.",
)
FRENCH = (
    "Je voudrais acheter une voiture.",
    "Nous aimerions mieux rester à la maison ce soir.",
    "Où as-tu appris à faire la cuisine ?",
    "Elle lui a donné le livre qu'il avait perdu.",
    "Il fait très beau aujourd'hui et les enfants jouent dehors.",
    "JE NE SAIS PAS CE QUE TU VEUX DIRE.",
    "ca ne me derange pas du tout",
    "L’animal n’a pas traversé la rue parce qu’il était trop fatigué.",
)
KOREAN = (
    "저는 학생입니다.",
    "오늘은 날씨가 정말 좋네요.",
    "차를 한 대 사고 싶습니다.",
    "어디서 요리를 배웠어요?",
    "네.",
    "ㅋㅋㅋ",
    "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165",  # decomposed into single letters
)
# script -> sentences
OTHER_SCRIPTS = {
    "Cyrillic": (
        "Я студент.",
        "Где ты научился готовить?",
        "Мы останемся дома сегодня вечером.",
        "Да.",
        "Я хочу купити машину, а він ні.",
    ),
    "Greek": (
        "Είμαι φοιτητής.",
        "Θέλω να αγοράσω ένα αυτοκίνητο.",
        "Πού έμαθες να μαγειρεύεις;",
    ),
    "Han": (
        "我是学生。",
        "我想买一辆车。",
        "你在哪里学的做饭？",
        "今天天氣很好。",
        "好",
    ),
    "Japanese": (
        "私は学生です。",
        "車を買いたいです。",
        "どこで料理を習いましたか。",
        "コーヒーをください。",
        "ｶﾀｶﾅ",  # of half width
    ),
    "Arabic": (
        "أنا طالب.",
        "أريد أن أشتري سيارة.",
        "من دانشجو هستم.",  # Persian
        "أَهْلًا وَسَهْلًا",  # with vowel marks
    ),
    "Hebrew": (
        "אני סטודנט.",
        "אני רוצה לקנות מכונית.",
    ),
    "Thai": (
        "ฉันเป็นนักเรียน",
        "อากาศวันนี้ดีมาก",
    ),
    "Devanagari": (
        "मैं एक छात्र हूँ।",
        "मुझे एक गाड़ी खरीदनी है।",
        "नमस्ते",
    ),
    "Bengali": ("আমি একজন ছাত্র।",),
    "Tamil": ("நான் ஒரு மாணவன்.",),
    "Georgian": ("მე ვარ სტუდენტი.",),
    "Armenian": ("Ես ուսանող եմ։",),
    "Ethiopic": ("እኔ ተማሪ ነኝ።",),
    "Khmer": ("ខ្ញុំជាសិស្ស។",),
}
# Languages in Latin letters without counts; only the spelling is a sign.
LATIN = (
    "Das Wetter ist heute schöner als gestern.",
    "Warum hast du mich nicht früher angerufen?",
    "Ich möchte gern ein neues Auto kaufen.",
    "Meine Schwester arbeitet in einem Krankenhaus.",
    "Wij hebben gisteren een huis gekocht.",
    "Waarom ben je zo vroeg vertrokken?",
    "¿Por qué no me llamaste antes?",
    "Ayer compramos una casa muy grande.",
    "Los niños duermen en la habitación de arriba.",
    "Perché non mi hai chiamato prima?",
    "Ieri abbiamo comprato una casa molto grande.",
    "Por que você não me ligou antes?",
    "Ontem compramos uma casa muito grande.",
    "Varför ringde du inte mig tidigare?",
    "Hvorfor ringede du ikke til mig før?",
    "Dlaczego nie zadzwoniłeś do mnie wcześniej?",
    "Proč jsi mi nezavolal dřív?",
    "De ce nu m-ai sunat mai devreme?",
    "Dün çok büyük bir ev satın aldık.",
    "Tegnap vettünk egy nagyon nagy házat.",
    "Ostimme eilen hyvin suuren talon.",
    "Hôm qua chúng tôi mua một ngôi nhà lớn.",
    "Kemarin kami membeli rumah yang sangat besar.",
    "Jana tulinunua nyumba kubwa sana.",
)
